import { describe, expect, it } from "vitest";
import { describeCommand } from "../../../../src/cli/commands/eval/evaluate.js";

describe("describeCommand", () => {
  it.each([
    [["eval", "juice", "--cases", "a b.jsonl", "--index", "x"], "celrec eval juice --cases 'a b.jsonl' --index x"],
    [["eval", "celrec", "--report", "o.html", "--json", "--report=o.md", "--k", "5"], "celrec eval celrec --k 5"],
    [["eval", "celrec", "--target-token", "secret", "--data", "d"], "celrec eval celrec --target-token '***'"],
    [["eval", "celrec", "--target-token=secret"], "celrec eval celrec --target-token='***'"],
    [["eval", "celrec", "--seeds", "it's"], "celrec eval celrec --seeds 'it'\\''s'"],
  ])("writes a command that repeats the run, without reports and secrets: %j", (words, expected) => {
    expect(describeCommand(words)).toBe(expected);
  });
});
