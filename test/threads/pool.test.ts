import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createPool } from "../../src/threads/pool.js";
import { type CallContext, type Transferred, transfer } from "../../src/threads/thread-protocol.js";
import { ROOT } from "../cli/celrec.js";

type TestHandlers = {
  sleep(ms: number): Promise<void>;
  count(): number;
  untilAborted(): Promise<void>;
  aborted(): number;
  join(separator: string, context: CallContext): string;
  countTo(end: number, context: CallContext): number;
  json(value: unknown): Transferred<ArrayBuffer>;
  uncloneable(): unknown;
  die(): void;
};

function open({ name = "thread", size = 1, perThread = 1, data = null as unknown } = {}) {
  const module = `${ROOT}/test/threads/${name}.js`;
  const pool = createPool<TestHandlers>({ module, data, size, perThread });
  onTestFinished(() => pool.close());
  return pool;
}

describe("createPool", () => {
  it("runs queued calls in order, and withdraws those that are cancelled", async () => {
    const pool = open();
    expect(await pool.start()).toEqual({ name: "test" });
    const slow = pool.call("sleep", 50);
    const stop = new AbortController();
    const cancelled = pool.call("count", undefined, { signal: stop.signal });
    const later = pool.call("count", undefined);
    expect(pool.waiting()).toBe(2);
    stop.abort(new Error("cancelled"));
    expect(pool.waiting()).toBe(1);
    await expect(cancelled).rejects.toThrow("cancelled");
    await slow;
    expect(await later).toBe(1);
    expect(await pool.call("count", undefined, { skipQueue: true })).toBe(2);
  });

  it("lets a call skip the queue", async () => {
    const pool = open();
    const stop = new AbortController();
    const slow = pool.call("untilAborted", undefined, { signal: stop.signal });
    const queued = pool.call("count", undefined);
    expect(await pool.call("count", undefined, { skipQueue: true })).toBe(1);
    stop.abort(new Error("cancelled"));
    await expect(slow).rejects.toThrow("cancelled");
    expect(await queued).toBe(2);
  });

  it("rejects a cancelled call at once, and aborts it in its thread", async () => {
    const pool = open({ perThread: 2 });
    const stop = new AbortController();
    const call = pool.call("untilAborted", undefined, { signal: stop.signal });
    expect(await pool.call("aborted", undefined)).toBe(0);
    stop.abort(new Error("cancelled"));
    await expect(call).rejects.toThrow("cancelled");
    expect(await pool.call("aborted", undefined)).toBe(1);
    await expect(pool.call("count", undefined, { signal: stop.signal })).rejects.toThrow("cancelled");
  });

  it("sends chunks ahead of a call, and moves their buffers", async () => {
    const pool = open();
    const buffers = ["a", "b", "c"].map((text) => new TextEncoder().encode(text).slice().buffer);
    const chunks = buffers.map((buffer) => transfer(buffer, [buffer]));
    expect(await pool.call("join", "-", { chunks })).toBe("a-b-c");
    expect(buffers.map((buffer) => buffer.byteLength)).toEqual([0, 0, 0]);
    expect(await pool.call("join", "-")).toBe("");
  });

  it("streams the reports of a handler before its answer", async () => {
    const pool = open();
    const reported: number[] = [];
    expect(await pool.call("countTo", 3, { onReport: (value: number) => reported.push(value) })).toBe(3);
    expect(reported).toEqual([1, 2, 3]);
  });

  it("returns an answer as a transferred buffer, and an error if it cannot be cloned", async () => {
    const pool = open();
    const bytes = await pool.call("json", { k: 3 });
    expect(bytes).toBeInstanceOf(ArrayBuffer);
    expect(new TextDecoder().decode(bytes)).toBe('{"k":3}');
    await expect(pool.call("uncloneable", undefined)).rejects.toThrow(/^DataCloneError: .* could not be cloned/);
    expect(await pool.call("count", undefined)).toBe(1);
  });

  it("replaces a dead thread; only its own calls fail", async () => {
    const pool = open({ size: 2 });
    await pool.start();
    await expect(pool.call("die", undefined)).rejects.toMatchObject({ code: "INTERRUPTED" });
    expect(await Promise.all([pool.call("count", undefined), pool.call("count", undefined)])).toEqual([1, 1]);
  });

  it("calls each thread once, and grows", async () => {
    const pool = open();
    await pool.start(2);
    await pool.callAll("count", undefined);
    const counts = [pool.call("count", undefined), pool.call("count", undefined)];
    expect([pool.size, await Promise.all(counts)]).toEqual([2, [2, 2]]);
  });

  it("reports why a thread cannot start", async () => {
    const failure = { code: "MODEL_UNAVAILABLE", message: "there is no model" };
    const pool = open({ name: "failing-thread" });
    await expect(pool.start()).rejects.toMatchObject(failure);
    await expect(pool.call("count", undefined)).rejects.toMatchObject(failure);
  });

  it("lets threads close their resources, and rejects open calls", async () => {
    const folder = mkdtempSync(join(tmpdir(), "celrec-test-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const pool = open({ data: { closed: join(folder, "closed") } });
    await pool.start();
    const calls = Promise.allSettled([pool.call("untilAborted", undefined), pool.call("count", undefined)]);
    await pool.close();
    expect((await calls).map((call) => call.status === "rejected" && call.reason.code)).toEqual([
      "INTERRUPTED",
      "INTERRUPTED",
    ]);
    expect(readFileSync(join(folder, "closed"), "utf8")).toBe("closed");
    await expect(pool.call("count", undefined)).rejects.toMatchObject({ code: "INTERRUPTED" });
  });
});
