import { describe, expect, it } from "vitest";
import { parseInput } from "../../src/ask/parse-input.js";
import { askRequest, labelRequest, listRequest } from "../../src/ask/requests.js";
import type { RecommenderError } from "../../src/errors.js";

const messageOf = (action: () => unknown) => {
  try {
    action();
  } catch (error) {
    return (error as RecommenderError).message;
  }
  return null;
};

describe("parseInput", () => {
  it.each<[unknown, string]>([
    [{ code: "x", k: 0 }, "`k` must be an integer from 1 to 100, not 0"],
    [{ code: "x", k: 2.5 }, "`k` must be an integer from 1 to 100, not 2.5"],
    [{ code: "x", k: "3" }, '`k` must be an integer from 1 to 100, not "3"'],
    [{ code: "x", k: [3] }, "`k` must be an integer from 1 to 100, not a list"],
    [{ code: 1 }, "`code` must be a string, not 1"],
    [{}, "`code` is missing"],
    [[], "The request must be an object, not a list"],
    [null, "The request must be an object, not null"],
    [{ code: "x", mode: "fast" }, '`mode` must be one of auto, similar, complete, next, not "fast"'],
    [{ code: "x", diversity: 2 }, "`diversity` must be a number from 0 to 1, not 2"],
    [{ code: "x", explain: 1 }, "`explain` must be true or false, not 1"],
    [{ code: "x", context: 1 }, "`context` must be an object, not 1"],
    [{ code: "x", context: { before: ["a", 2] } }, "`context.before.1` must be a string, not 2"],
    [{ code: "x", context: { befor: [] } }, "`context.befor` is not a known field"],
    [{ code: "x", exclude: {} }, "`exclude.notebooks` is missing"],
    [{ code: "x", exclude: { notebooks: ["a"] } }, '`exclude.notebooks.0` must be 64 hexadecimal digits, not "a"'],
    [{ code: "x", exclude: { notebooks: [{ source: "a" }] } }, "`exclude.notebooks.0.path` is missing"],
    [{ notebook: "0".repeat(64) }, "`cellIndex` is missing"],
    [{ notebook: "0".repeat(64), cellIndex: -1 }, "`cellIndex` must be an integer from 0 to 1,000,000, not -1"],
    [{ notebook: "y" }, '`notebook` must be 64 hexadecimal digits, not "y"; `cellIndex` is missing'],
    [{ code: "x", notebook: "y" }, "`notebook` cannot be combined with `code`"],
    [
      { code: "x", notebook: "0".repeat(64), cellIndex: 1, kk: 1 },
      "`code` cannot be combined with `notebook` and `cellIndex`; `kk` is not a known field",
    ],
    [{ code: "x", sources: "a" }, '`sources` must be a list of at most 1,000 names of sources, not "a"'],
    [
      { code: "x", context: { variables: ["df"] } },
      "`context.variables` must be an object of names of variables with the names of their types, not a list",
    ],
    [
      { code: "x", context: { variables: { "": "int" } } },
      '`context.variables` has the name "", which must be a string of 1 to 1,024 characters without control characters',
    ],
    [
      { code: "x", context: { variables: { df: 1 } } },
      "`context.variables.df` must be a string of 1 to 1,024 characters without control characters, not 1",
    ],
    [{ code: "x", k: 0, kk: 1 }, "`k` must be an integer from 1 to 100, not 0; `kk` is not a known field"],
  ])("reports the error in %j", (value, message) => {
    expect(messageOf(() => parseInput(askRequest, value))).toBe(message);
  });

  it("counts lists that are too long", () => {
    const many = (value: unknown) => Array(1_001).fill(value);
    expect(messageOf(() => parseInput(askRequest, { code: "x", context: { before: many("a") } }))).toBe(
      "`context.before` must be a list of at most 1,000 strings, not of 1,001",
    );
    expect(messageOf(() => parseInput(askRequest, { code: "x", sources: many("a") }))).toBe(
      "`sources` must be a list of at most 1,000 names of sources, not of 1,001",
    );
    expect(messageOf(() => parseInput(askRequest, { code: "x", exclude: { notebooks: many("0".repeat(64)) } }))).toBe(
      "`exclude.notebooks` must be a list of at most 1,000 notebooks, not of 1,001",
    );
  });

  it("describes notebooks and pages in the same way", () => {
    expect(messageOf(() => parseInput(labelRequest, { notebook: 1 }))).toBe(
      "`notebook` must be a notebook (the JSON of an ipynb file), not 1",
    );
    expect(messageOf(() => parseInput(labelRequest, { code: "x", notebook: {} }))).toBe(
      "`notebook` cannot be combined with `code`",
    );
    expect(messageOf(() => parseInput(listRequest, { limit: "0" }))).toBe(
      '`limit` must be an integer from 1 to 1,000, not "0"',
    );
  });

  it("fills in omitted fields", () => {
    expect(parseInput(askRequest, { code: "x" })).toEqual({ code: "x", k: 3 });
    expect(parseInput(labelRequest, { code: "x" })).toEqual({ code: "x", partial: false });
    expect(parseInput(listRequest, {})).toEqual({ limit: 100 });
  });
});
