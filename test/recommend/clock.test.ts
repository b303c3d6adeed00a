import { describe, expect, it } from "vitest";
import { createClock } from "../../src/recommend/clock.js";

describe("createClock", () => {
  it("returns the results of the stages, and lists each stage once, and the total", async () => {
    const clock = createClock();
    expect(clock.time("clean", () => 1)).toBe(1);
    expect(await clock.timeAsync("embed", async () => 2)).toBe(2);
    clock.time("clean", () => {});
    const took = clock.took();
    expect(Object.keys(took)).toEqual(["clean", "embed", "total"]);
    expect(took.total).toBeGreaterThanOrEqual(took.clean! + took.embed! - 0.002);
    for (const ms of Object.values(took)) expect([ms >= 0, Math.round(ms * 1000)]).toEqual([true, ms * 1000]);
  });

  it("begins no stage once the signal is aborted", async () => {
    const { signal, abort } = ((controller) => ({ signal: controller.signal, abort: () => controller.abort() }))(
      new AbortController(),
    );
    const clock = createClock(signal);
    expect(clock.signal).toBe(signal);
    abort();
    const begin = () => {
      throw new Error("it was begun");
    };
    expect(() => clock.time("clean", begin)).toThrow(signal.reason);
    await expect(clock.timeAsync("embed", begin)).rejects.toBe(signal.reason);
  });
});
