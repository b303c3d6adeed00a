import { serveThread } from "../../threads/serve-thread.js";
import type { CallContext, Handlers } from "../../threads/thread-protocol.js";
import { buildPart, type GraphTask } from "./graph-build.js";

const handlers = {
  build: (task: GraphTask, { report }: CallContext) => buildPart(task, report),
} satisfies Handlers;

export type GraphHandlers = typeof handlers;

// Run by `settle.ts`: building a graph takes minutes, during which the service keeps answering.
await serveThread(() => ({ handlers }));
