import type { Server } from "node:http";

/** Requests that are being answered have this long to end. */
const DEADLINE_MS = 10_000;
const IDLE_MS = 100;

/**
 * Ends a server: no new connections, idle ones closed at once and again as answers end, and all that is left at the deadline. A
 * client that keeps its connection busy, or is stuck in the middle of a body, cannot hold the process.
 */
export function stopServer(server: Server, deadlineMs: number = DEADLINE_MS): Promise<void> {
  return new Promise((resolve) => {
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
