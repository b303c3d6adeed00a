import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { createPool, type PoolOptions } from "../../../src/ingest/workers/pool.js";

function open(options: Partial<PoolOptions> = {}) {
  const pool = createPool({
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
    const jobs = Array.from({ length: 50 }, (_, at) => pool.run<number>("double", at));
    expect(await Promise.all(jobs)).toEqual(Array.from({ length: 50 }, (_, at) => at * 2));
  });

  it("tells our errors as ours, and bugs as bugs", async () => {
    const pool = open();
    await expect(pool.run("refuse", "no such thing")).rejects.toMatchObject({
      name: "RecommenderError",
      code: "NOT_FOUND",
      message: "no such thing",
    });
    await expect(pool.run("fail", null)).rejects.toThrow(new TypeError("a bug"));
    expect(await pool.run("double", 2)).toBe(4);
  });

  it("rejects the job that fills the memory of its thread, and goes on with the others", async () => {
    const pool = open({ size: 1, memory: { maxOldGenerationSizeMb: 24 } });
    const before = pool.run("double", 1);
    const hog = pool.run("hog", null);
    const behind = [pool.run("double", 2), pool.run("double", 3), pool.run("double", 4)];
    await expect(hog).rejects.toMatchObject({ code: "TOO_LARGE", message: "it needs more than 24 MB of memory" });
    expect(await Promise.all([before, ...behind])).toEqual([2, 4, 6, 8]);
  });

  it("gives up a job that takes too long, and replaces the thread", async () => {
    const pool = open({ size: 1, mostMs: 3_000 });
    await pool.warm();
    const hang = pool.run("hang", null);
    const behind = pool.run("double", 2);
    await expect(hang).rejects.toMatchObject({ code: "TOO_LARGE", message: "it takes longer than 3 s" });
    expect(await behind).toBe(4);
  });

  it("survives a thread that ends by itself", async () => {
    const pool = open({ size: 1 });
    await expect(pool.run("die", null)).rejects.toMatchObject({ code: "TOO_LARGE", message: "its thread died" });
    expect(await pool.run("double", 2)).toBe(4);
  });

  it("does not try for ever where no thread starts", async () => {
    const pool = open({ data: "broken" });
    const jobs = await Promise.allSettled([1, 2, 3].map((value) => pool.run("double", value)));
    expect(jobs.map((job) => job.status === "rejected" && (job.reason as Error).message)).toEqual(
      Array.from({ length: 3 }, () => "cannot start"),
    );
  });

  it("drops a job that nobody waits for any more before it began", async () => {
    const pool = open({ size: 1, ahead: 1 });
    const stop = new AbortController();
    const first = pool.run("double", 1);
    const second = pool.run("double", 2, stop.signal);
    stop.abort(new Error("gone"));
    expect(await first).toBe(2);
    await expect(second).rejects.toThrow("gone");
  });

  it("rejects what is not done when it is closed", async () => {
    const pool = open({ size: 1 });
    const jobs = Promise.allSettled([1, 2, 3, 4, 5, 6].map(() => pool.run("hang", null)));
    await pool.close();
    expect((await jobs).map((job) => job.status === "rejected" && job.reason.code)).toEqual(
      Array.from({ length: 6 }, () => "INTERRUPTED"),
    );
    await expect(pool.run("double", 1)).rejects.toMatchObject({ code: "INTERRUPTED" });
  });
});
