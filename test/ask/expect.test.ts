import { describe, expect, it } from "vitest";
import { createExpect } from "../../src/ask/use-cases.js";
import type { CompleteAnswer } from "../../src/complete/completion-request.js";

const completions: CompleteAnswer["completions"] = [
  { text: "df.info()", confidence: 0.3, kind: "line", from: "prior", cells: [] },
  { text: "df", confidence: 0.3, kind: "token", from: "prior", cells: [] },
  { text: "df.head()", confidence: 0.2, kind: "line", from: "notebook", cells: [] },
];
const request = { code: "\n", k: 3, context: { before: ["df = load()\ndf.head()"] } };
const { signal } = new AbortController();

describe("the lines that an empty cell is expected to start with", () => {
  it("are whole lines that the notebook does not have", async () => {
    const expecting = createExpect(async () => ({ id: "1", completions, took: {} }), "auto");
    expect(await expecting(request, signal)).toEqual({
      ...request,
      expected: [{ text: "df.info()", confidence: 0.3 }],
    });
    expect(await expecting({ ...request, code: "df." }, signal)).toEqual({ ...request, code: "df." });
  });

  it("are unknown while the completer is busy", async () => {
    const busy = (_: unknown, stop?: AbortSignal) =>
      new Promise<never>((_resolve, reject) => {
        if (stop!.aborted) reject(stop!.reason);
        stop!.addEventListener("abort", () => reject(stop!.reason));
      });
    expect(await createExpect(busy, "auto", 1)(request, signal)).toEqual(request);
    const overtaken = AbortSignal.abort(new Error("overtaken"));
    await expect(createExpect(busy, "auto")(request, overtaken)).rejects.toThrow("overtaken");
  });
});
