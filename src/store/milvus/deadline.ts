import { setMaxListeners } from "node:events";
import { performance } from "node:perf_hooks";
import { outage } from "./failure.js";

/** A timer that fires later than this shows that this process was too busy to receive an answer. */
const BUSY_MS = 50;

/** Fails as an outage if the action takes longer. Time in which this process was too busy to react does not count. */
export async function within<T>(milliseconds: number, action: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const wait = () => {
      const due = performance.now() + milliseconds;
      timer = setTimeout(() => {
        if (performance.now() - due > BUSY_MS) wait();
        else reject(outage(`no answer within ${milliseconds / 1000} s`));
      }, milliseconds);
    };
    wait();
  });
  try {
    return await Promise.race([action(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Stops waiting for the action when the signal is aborted; the started work ends by itself. */
export async function abortable<T>(signal: AbortSignal | undefined, action: () => Promise<T>): Promise<T> {
  if (signal === undefined) return action();
  signal.throwIfAborted();
  // Many calls may run under one signal, and Node warns from the eleventh listener on.
  setMaxListeners(0, signal);
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  const answer = action();
  answer.catch(() => undefined);
  try {
    return await Promise.race([answer, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
