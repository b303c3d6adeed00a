import type { Pool } from "../threads/pool.js";
import { type CallContext, transfer } from "../threads/thread-protocol.js";
import { OPERATIONS, type Operations, type OperationThread } from "./operations.js";

/** The calls of an answering thread. */
type AnsweringHandlers = {
  operate(call: OperationCall, context: CallContext): Promise<unknown>;
  /** Loads the writes of another thread: rows of the database, or files derived from it. */
  refresh(what: "rows" | "files"): Promise<unknown>;
};

export interface OperationCall {
  readonly name: keyof Operations;
  readonly args: readonly unknown[];
}

interface RemoteDeps {
  readonly readers: Pick<Pool<AnsweringHandlers>, "call" | "callAll">;
  readonly writer: Pick<Pool<AnsweringHandlers>, "call">;
  /** The thread that has the model of completions. */
  readonly completer: Pick<Pool<AnsweringHandlers>, "call" | "callAll">;
  /** Called after each change of the index. */
  readonly onWritten: () => void;
}

/**
 * Runs the operations on threads, which keeps the main thread free for accepting, refusing and health checks. A change
 * is acknowledged only when every reader has it, so the next request sees it.
 */
export function createRemoteOperations({ readers, writer, completer, onWritten }: RemoteDeps): Operations {
  const send = (name: keyof Operations, thread: OperationThread, given: readonly unknown[]) => {
    const { args, signal } = withoutSignal(given);
    const pool = thread === "writer" ? writer : thread === "completer" ? completer : readers;
    const call = transfer({ name, args }, buffersOf(args));
    return pool.call("operate", call, { signal, skipQueue: thread === "probe" });
  };
  const write = async (name: keyof Operations, given: readonly unknown[]) => {
    const answer = await send(name, "writer", given);
    await Promise.all([readers.callAll("refresh", "rows"), completer.callAll("refresh", "rows")]);
    onWritten();
    return answer;
  };
  const operations = Object.entries(OPERATIONS).map(([key, { thread }]) => {
    const name = key as keyof Operations;
    return [name, (...given: unknown[]) => (thread === "writer" ? write(name, given) : send(name, thread, given))];
  });
  const remote = Object.fromEntries(operations) as Operations;
  return {
    ...remote,
    // The writer has threads for large requests; readers have none.
    label: (request, signal) =>
      request instanceof Uint8Array
        ? (send("label", "writer", [request, signal]) as ReturnType<Operations["label"]>)
        : remote.label(request, signal),
  };
}

/**
 * The buffers of uploaded files or of a large request. They are transferred to the thread, because copying 24 MB would
 * delay other requests. A small buffer, which shares its memory with others, is copied.
 */
function buffersOf([input]: readonly unknown[]): ArrayBuffer[] {
  const bytes = Array.isArray(input) ? input.map((each) => (each as { bytes?: unknown } | null)?.bytes) : [input];
  return bytes.flatMap((each) => {
    if (!(each instanceof Uint8Array) || !(each.buffer instanceof ArrayBuffer)) return [];
    return each.byteLength > 0 && each.byteLength === each.buffer.byteLength ? [each.buffer] : [];
  });
}

function withoutSignal(given: readonly unknown[]): { args: readonly unknown[]; signal?: AbortSignal } {
  const signal = given.at(-1);
  if (signal === undefined) return { args: given.slice(0, -1) };
  return signal instanceof AbortSignal ? { args: given.slice(0, -1), signal } : { args: given };
}
