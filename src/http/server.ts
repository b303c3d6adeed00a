import { createServer, type RequestListener, type Server } from "node:http";

/** A client has this long for its headers and for a whole request; half-sent ones would hold a connection for ever. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 60_000;
const LOOK_MS = 2_000;
const HEADER_BYTES = 16 * 1024;

export interface ServerLimits {
  readonly headersMs?: number;
  readonly requestMs?: number;
}

/** An HTTP server that ends slow requests and huge headers by itself. */
export function createHttpServer(
  listener: RequestListener,
  { headersMs = HEADERS_MS, requestMs = REQUEST_MS }: ServerLimits = {},
): Server {
  return createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: Math.min(LOOK_MS, headersMs),
      maxHeaderSize: HEADER_BYTES,
    },
    listener,
  );
}
