import { describe, expect, it } from "vitest";
import { addProblems, askAll, noProblems, type Reply } from "../../../src/evaluate/runner/ask-target.js";
import { type Target, type TargetAnswer, TargetFault } from "../../../src/evaluate/target.js";

const hit = (code: string) => ({ code, score: null, confidence: null });

function createTarget(recommend: (code: string) => TargetAnswer): Target {
  return {
    name: "fake",
    settings: {},
    prepare: async () => {},
    add: async () => {},
    recommend: async ({ code }) => recommend(code),
    close: async () => {},
  };
}

async function ask(target: Target, codes: readonly string[], jobs = 1, signal = new AbortController().signal) {
  const replies: Reply<string>[] = [];
  const questions = codes.map((code) => ({ key: code, query: { code, k: 2 } }));
  await askAll<string>(target, questions, { jobs, signal }, (reply) => void replies.push(reply));
  return replies;
}

describe("askAll", () => {
  it("counts short lists, repeated cells and unreadable answers, and continues after a fault", async () => {
    const answers: Record<string, TargetAnswer> = {
      full: { hits: [hit("a"), hit("b")], junk: 0, took: {} },
      short: { hits: [hit("a")], junk: 1, took: {} },
      twice: { hits: [hit("a"), hit("a")], junk: 0, took: {} },
    };
    const target = createTarget((code) => {
      if (code === "broken") throw new TargetFault("errors5xx", "no");
      return answers[code]!;
    });
    const replies = await ask(target, ["full", "broken", "short", "twice"]);
    expect(replies.map(({ key, problems }) => [key, problems])).toEqual([
      ["full", { short: 0, duplicates: 0, junk: 0 }],
      ["broken", { errors5xx: 1 }],
      ["short", { short: 1, duplicates: 0, junk: 1 }],
      ["twice", { short: 0, duplicates: 1, junk: 0 }],
    ]);
    expect(replies[1]!.answer).toEqual({ hits: [], junk: 0, took: {} });
  });

  it("ends the run on an error of the program itself", async () => {
    const target = createTarget(() => {
      throw new TypeError("a bug");
    });
    await expect(ask(target, ["a"])).rejects.toThrow("a bug");
  });

  it("asks `jobs` questions at once, each only once", async () => {
    const target = createTarget((code) => ({ hits: [hit(code)], junk: 0, took: {} }));
    const replies = await ask(target, ["a", "b", "c", "d", "e"], 3);
    expect(replies.map(({ key }) => key).sort()).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("asks nothing after the signal is aborted", async () => {
    const stop = new AbortController();
    const target = createTarget(() => {
      stop.abort();
      return { hits: [], junk: 0, took: {} };
    });
    expect(await ask(target, ["a", "b"], 1, stop.signal)).toHaveLength(1);
  });
});

describe("the problems of a target", () => {
  it("add up by name", () => {
    const sum = addProblems(addProblems(noProblems(), { timeouts: 1, junk: 2 }), { junk: 1, short: 4 });
    expect(sum).toEqual({ timeouts: 1, errors5xx: 0, errorsOther: 0, short: 4, duplicates: 0, junk: 3 });
  });
});
