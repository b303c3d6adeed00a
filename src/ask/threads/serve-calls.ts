import { parentPort } from "node:worker_threads";
import { packError } from "./crossing-error.js";
import type { FromThread, ThreadFacts, ToThread } from "./protocol.js";

/** What a thread can be asked, by name; the signal comes last. */
export type Calls = Readonly<Record<string, (...args: never[]) => unknown>>;

/** Answers the calls of the main thread for as long as the thread lives; `open` makes what answers them. */
export async function serveCalls(open: () => Promise<{ facts: ThreadFacts; calls: Calls }>): Promise<void> {
  const port = parentPort!;
  const tell = (message: FromThread) => port.postMessage(message);
  let opened: Awaited<ReturnType<typeof open>>;
  try {
    opened = await open();
  } catch (error) {
    return tell({ failed: packError(error) });
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
  });
  tell({ ready: opened.facts });
}
