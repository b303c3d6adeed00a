import { workerData } from "node:worker_threads";
import { createComplete } from "../ask/complete.js";
import type { OperationCall } from "../ask/remote.js";
import type { Config } from "../config.js";
import type { IndexIdentity } from "../store/vector-store.js";
import { serveThread } from "../threads/serve-thread.js";
import type { CallContext, Handlers } from "../threads/thread-protocol.js";
import { createCompletion } from "./completion.js";
import { openStore, type WriterRole } from "./parts.js";

/** The `workerData` of the completer thread. */
export interface CompleterData {
  readonly config: Config;
  readonly identity: IndexIdentity;
  readonly role: WriterRole;
}

export type CompleterHandlers = ReturnType<typeof createHandlers>;

// Run as a thread by `service.ts`. One thread completes for all readers: a completion takes a few milliseconds, and the
// model of a large index takes more memory than everything else.
const { config, identity, role } = workerData as CompleterData;
await serveThread(async () => {
  const store = await openStore(config, identity, { ...role, share: "reader" });
  const completion = createCompletion(config, store);
  const close = async () => {
    await completion.close();
    await store.close();
  };
  return { facts: {}, handlers: createHandlers(completion), close };
});

function createHandlers({ complete, forget, update }: ReturnType<typeof createCompletion>) {
  const answer = createComplete({ complete });
  return {
    operate: ({ args }: OperationCall, { signal }: CallContext) =>
      answer(args[0] as Parameters<typeof answer>[0], signal),
    refresh: async () => forget(),
    update: (_: undefined, { signal }: CallContext) => update(signal),
  } satisfies Handlers;
}
