import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { createWorkerPool, type WorkerPoolOptions } from "../../../src/ingest/workers.js";

type TestTasks = {
  double(value: number): number;
  refuse(message: string): void;
  fail(input: null): void;
  hog(input: null): void;
  hang(input: null): void;
  die(input: null): void;
};

function open(options: Partial<WorkerPoolOptions> = {}) {
  const pool = createWorkerPool<TestTasks>({
    module: fileURLToPath(new URL("thread.js", import.meta.url)),
    data: null,
    size: 2,
    ...options,
  });
  onTestFinished(() => pool.close());
  return pool;
}

describe("the pool of threads", () => {
  it("does many jobs, and gives each its own answer", async () => {
    const pool = open();
    const jobs = Array.from({ length: 50 }, (_, at) => pool.call("double", at));
    expect(await Promise.all(jobs)).toEqual(Array.from({ length: 50 }, (_, at) => at * 2));
  });

  it("distinguishes our errors from bugs", async () => {
    const pool = open();
    await expect(pool.call("refuse", "no such thing")).rejects.toMatchObject({
      name: "RecommenderError",
      code: "NOT_FOUND",
      message: "no such thing",
    });
    await expect(pool.call("fail", null)).rejects.toThrow(new TypeError("a bug"));
    expect(await pool.call("double", 2)).toBe(4);
  });

  it("rejects the job that fills the memory of its thread, and continues with the others", async () => {
    const pool = open({ size: 1, memory: { maxOldGenerationSizeMb: 24 } });
    const before = pool.call("double", 1);
    const hog = pool.call("hog", null);
    const behind = [pool.call("double", 2), pool.call("double", 3), pool.call("double", 4)];
    await expect(hog).rejects.toMatchObject({ code: "TOO_LARGE", message: "it needs more than 24 MB of memory" });
    expect(await Promise.all([before, ...behind])).toEqual([2, 4, 6, 8]);
  });

  it("rejects a job that takes too long, and replaces the thread", async () => {
    const pool = open({ size: 1, maxMs: 1_000 });
    await pool.start();
    const hang = pool.call("hang", null);
    const behind = pool.call("double", 2);
    await expect(hang).rejects.toMatchObject({ code: "TOO_LARGE", message: "it takes longer than 1 s" });
    expect(await behind).toBe(4);
  });

  it("survives a thread that ends by itself", async () => {
    const pool = open({ size: 1 });
    await expect(pool.call("die", null)).rejects.toMatchObject({ code: "TOO_LARGE", message: "its thread died" });
    expect(await pool.call("double", 2)).toBe(4);
  });

  it("gives up if no thread can start", async () => {
    const pool = open({ data: "broken" });
    const jobs = await Promise.allSettled([1, 2, 3].map((value) => pool.call("double", value)));
    expect(jobs.map((job) => job.status === "rejected" && (job.reason as Error).message)).toEqual(
      Array.from({ length: 3 }, () => "cannot start"),
    );
  });

  it("drops a queued job whose caller has aborted", async () => {
    const pool = open({ size: 1, perThread: 1 });
    const stop = new AbortController();
    const first = pool.call("double", 1);
    const second = pool.call("double", 2, { signal: stop.signal });
    stop.abort(new Error("gone"));
    await expect(second).rejects.toThrow("gone");
    expect(await first).toBe(2);
  });

  it("rejects open calls on close", async () => {
    const pool = open({ size: 1 });
    const jobs = Promise.allSettled([1, 2, 3, 4, 5, 6].map(() => pool.call("hang", null)));
    await pool.close();
    expect((await jobs).map((job) => job.status === "rejected" && job.reason.code)).toEqual(
      Array.from({ length: 6 }, () => "INTERRUPTED"),
    );
    await expect(pool.call("double", 1)).rejects.toMatchObject({ code: "INTERRUPTED" });
  });
});
