import { describe, expect, it } from "vitest";
import { coalesce } from "../../src/ask/use-cases.js";

/** Work that ends when the test says so, and counts its starts. */
function createWork() {
  const begun: { end: (value: number) => void; signal: AbortSignal }[] = [];
  const work = (_request: { readonly code: string }, signal: AbortSignal) =>
    new Promise<number>((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
      begun.push({ end: resolve, signal });
    });
  return { ask: coalesce(work), begun };
}

describe("coalesce", () => {
  it("runs equal concurrent requests once, and later ones again", async () => {
    const { ask, begun } = createWork();
    const answers = [ask({ code: "a" }), ask({ code: "a" }), ask({ code: "b" })];
    expect(begun.length).toBe(2);
    begun[0]!.end(1);
    begun[1]!.end(2);
    expect(await Promise.all(answers)).toEqual([1, 1, 2]);
    const again = ask({ code: "a" });
    expect(begun.length).toBe(3);
    begun[2]!.end(3);
    expect(await again).toBe(3);
  });

  it("stops the work only when the last caller has aborted", async () => {
    const { ask, begun } = createWork();
    const [first, second] = [new AbortController(), new AbortController()];
    const answers = [ask({ code: "a" }, first.signal), ask({ code: "a" }, second.signal)];
    first.abort("bored");
    await expect(answers[0]).rejects.toBe("bored");
    expect(begun[0]!.signal.aborted).toBe(false);
    second.abort("bored, too");
    await expect(answers[1]).rejects.toBe("bored, too");
    expect(begun[0]!.signal.aborted).toBe(true);
    const later = ask({ code: "a" });
    begun[1]!.end(1);
    expect(await later).toBe(1);
  });

  it("fails for all if the work fails", async () => {
    const ask = coalesce(() => Promise.reject(new Error("no")));
    await expect(Promise.all([ask(1), ask(1)])).rejects.toThrow("no");
  });
});
