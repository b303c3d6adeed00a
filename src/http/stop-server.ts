import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

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
