import { parentPort } from "node:worker_threads";
import { packError } from "../../threads/crossing-error.js";
import type { FromThread, ThreadFacts, ToThread } from "./protocol.js";

/** What a thread can be asked, by name; the signal comes last. */
export type Calls = Readonly<Record<string, (...args: never[]) => unknown>>;

/**
 * Answers the calls of the main thread until it is told to `close`; `open` makes what answers them. The thread ends itself: one
 * that is ended from outside while it is inside the database takes the whole process with it.
 */
export async function serveCalls(open: () => Promise<{ facts: ThreadFacts; calls: Calls }>): Promise<void> {
  const port = parentPort!;
  const tell = (message: FromThread) => port.postMessage(message);
  let opened: Awaited<ReturnType<typeof open>>;
  try {
    opened = await open();
  } catch (error) {
    tell({ failed: packError(error) });
    return process.exit();
  }
  const running = new Map<number, AbortController>();
  port.on("message", async (message: ToThread) => {
    if ("cancel" in message) return running.get(message.cancel)?.abort();
    const { call, name, args } = message;
    const stop = new AbortController();
    running.set(call, stop);
    try {
      tell({ call, value: await opened.calls[name]!(...(args as never[]), stop.signal as never) });
    } catch (error) {
      tell({ call, error: packError(error) });
    }
    running.delete(call);
    if (name === "close") process.exit();
  });
  tell({ ready: opened.facts });
}
