import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FEATURES } from "../../src/recommend/features/feature-table.js";

describe("the page", () => {
  it("describes every feature of the ranking, and nothing else", () => {
    // The page is compiled for browsers, with types that Node does not have; so its table is read as text.
    const table = /WORDS[^{]*\{([\s\S]*?)\};/.exec(readFileSync("web/src/why.ts", "utf8"))![1]!;
    const named = [...table.matchAll(/^ {2}"?([a-z0-9-]+)"?: /gm)].map(([, name]) => name!);
    expect(named.toSorted()).toEqual(FEATURES.map(({ name }) => name).toSorted());
  });
});
