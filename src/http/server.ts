import { randomUUID } from "node:crypto";
import { createServer, type RequestListener, type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

/** A client has this long for its headers and for a whole request; half-sent ones would hold a connection for ever. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 60_000;
const LOOK_MS = 2_000;
const HEADER_BYTES = 16 * 1024;

interface ServerLimits {
  readonly headersMs?: number;
  readonly requestMs?: number;
}

/** An HTTP server that ends slow requests and huge headers by itself. */
export function createHttpServer(
  listener: RequestListener,
  { headersMs = HEADERS_MS, requestMs = REQUEST_MS }: ServerLimits = {},
): Server {
  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: Math.min(LOOK_MS, headersMs),
      maxHeaderSize: HEADER_BYTES,
    },
    listener,
  );
  const late = `The request did not come to its end in time: headers have ${headersMs / 1000} s, a whole request ${requestMs / 1000} s.`;
  server.on("clientError", (error, socket) => refuse(error, socket, late));
  // Expectations but `100-continue` mean nothing to us, and may be left unmet.
  server.on("checkExpectation", listener);
  return server;
}

/** What is no HTTP never comes to a route; it gets a problem document all the same. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex, late: string): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const { status, detail } = describe(error.code, late);
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

function describe(code: string | undefined, late: string): { status: number; detail: string } {
  if (code === "HPE_HEADER_OVERFLOW")
    return { status: 431, detail: `The headers are larger than ${HEADER_BYTES / 1024} KB.` };
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return { status: 408, detail: late };
  return { status: 400, detail: "The request is not HTTP that can be read." };
}

/** Requests that are being answered have this long to end. */
const DEADLINE_MS = 10_000;
const IDLE_MS = 100;
/** Whoever asks again so soon is answered with a refusal that ends the connection; one that is cut off would lose the question. */
const GRACE_MS = 300;

/**
 * Ends a server whose answers are refusals by now: after a moment no new connections, idle ones closed at once and again as
 * answers end, and all that is left at the deadline. A client that keeps its connection busy, or is stuck in the middle of a body,
 * cannot hold the process.
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
