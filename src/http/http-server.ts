import { randomUUID } from "node:crypto";
import { createServer, type RequestListener, type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Time limits for the headers and the whole request; without them, half-sent requests would hold connections for ever.
 */
const HEADERS_MS = 10_000;
const REQUEST_MS = 60_000;
const CHECK_INTERVAL_MS = 2_000;
const HEADER_BYTES = 16 * 1024;

interface ServerLimits {
  readonly headersMs?: number;
  readonly requestMs?: number;
}

/** An HTTP server that rejects slow requests and huge headers. */
export function createHttpServer(
  listener: RequestListener,
  { headersMs = HEADERS_MS, requestMs = REQUEST_MS }: ServerLimits = {},
): Server {
  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, headersMs),
      maxHeaderSize: HEADER_BYTES,
    },
    listener,
  );
  const late = `The request took too long: the limit for headers is ${headersMs / 1000} s, for the whole request ${requestMs / 1000} s.`;
  server.on("clientError", (error, socket) => rejectInvalid(error, socket, late));
  // Requests with an `Expect` header other than `100-continue` are handled normally.
  server.on("checkExpectation", listener);
  return server;
}

/** Answers invalid HTTP, which never reaches a route, with a problem document. */
function rejectInvalid(error: NodeJS.ErrnoException, socket: Duplex, late: string): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const { status, detail } = describeInvalid(error.code, late);
  const requestId = randomUUID();
  const body = JSON.stringify({ type: "about:blank", title: STATUS_CODES[status], status, detail, requestId });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "content-type: application/problem+json; charset=utf-8",
    `x-request-id: ${requestId}`,
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

function describeInvalid(code: string | undefined, late: string): { status: number; detail: string } {
  if (code === "HPE_HEADER_OVERFLOW")
    return { status: 431, detail: `The headers are larger than ${HEADER_BYTES / 1024} KB.` };
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return { status: 408, detail: late };
  return { status: 400, detail: "The request is not valid HTTP." };
}

/** Time that running requests have to finish. */
const DEADLINE_MS = 10_000;
const IDLE_MS = 100;
/** Grace period in which new requests get a proper refusal. Closing at once would drop them without an answer. */
const GRACE_MS = 300;

/**
 * Stops a server that already refuses requests. After the grace period it accepts no new connections and closes idle
 * ones. At the deadline it closes all connections, so no client can keep the process alive.
 */
export async function stopServer(server: Server, deadlineMs: number = DEADLINE_MS): Promise<void> {
  await sleep(GRACE_MS);
  await new Promise<void>((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), IDLE_MS);
    const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(deadline);
      resolve();
    });
    server.closeIdleConnections();
  });
}
