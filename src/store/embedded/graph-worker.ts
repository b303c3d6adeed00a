import type { CallContext, Handlers } from "../../threads/protocol.js";
import { serveThread } from "../../threads/serve.js";
import { buildPart, type GraphTask } from "./graph-build.js";

const handlers = {
  build: (task: GraphTask, { report }: CallContext) => buildPart(task, report),
} satisfies Handlers;

export type GraphHandlers = typeof handlers;

// Run by `settle.ts`: building a graph takes minutes, during which the service keeps answering.
await serveThread(() => ({ handlers }));
