import { parentPort } from "node:worker_threads";
import { type FromThread, type Handlers, packError, splitTransfer, type ToThread } from "./thread-protocol.js";

/** The handlers of a thread that is ready. */
interface Served {
  readonly handlers: Handlers;
  /** Sent to the main thread when the thread is ready. */
  readonly facts?: unknown;
  close?(): Promise<void> | void;
}

interface ServeOptions {
  /** Runs calls one at a time, in order, so the pool knows which call crashed the thread. */
  readonly isSequential?: boolean;
}

/**
 * Answers the calls of the main thread; every worker entry ends with this. On close the thread ends itself, because
 * terminating a thread from outside while it uses the database would crash the whole process.
 */
export async function serveThread(
  open: () => Promise<Served> | Served,
  { isSequential = false }: ServeOptions = {},
): Promise<void> {
  const port = parentPort!;
  const post = (message: FromThread, list: readonly ArrayBuffer[] = []) =>
    port.postMessage(message, [...list] as never);
  let served: Served;
  try {
    served = await open();
  } catch (error) {
    post({ failed: packError(error) });
    return process.exit();
  }
  const running = new Map<number, AbortController>();
  const chunks = new Map<number, unknown[]>();

  const run = async (call: number, name: string, input: unknown): Promise<void> => {
    const { signal } = running.get(call)!;
    const context = {
      signal,
      chunks: chunks.get(call) ?? [],
      report: (report: unknown) => post({ call, report }),
    };
    chunks.delete(call);
    try {
      const { value, list } = splitTransfer(await served.handlers[name]!(input as never, context));
      post({ call, value }, list);
    } catch (error) {
      post({ call, error: packError(error) });
    }
    running.delete(call);
  };

  let last: Promise<void> = Promise.resolve();
  port.on("message", async (message: ToThread) => {
    if ("chunk" in message) {
      const sent = chunks.get(message.of);
      if (sent === undefined) chunks.set(message.of, [message.chunk]);
      else sent.push(message.chunk);
    } else if ("cancel" in message) {
      running.get(message.cancel)?.abort();
    } else if ("close" in message) {
      await served.close?.();
      process.exit();
    } else {
      const { call, name, input } = message;
      running.set(call, new AbortController());
      last = isSequential ? last.then(() => run(call, name, input)) : run(call, name, input);
    }
  });
  post({ ready: served.facts });
}
