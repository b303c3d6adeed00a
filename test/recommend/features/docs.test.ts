import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { FEATURES } from "../../../src/recommend/features/feature-table.js";

it("docs/explanation/answers.md defines every feature in the words that --explain uses", () => {
  const rows = readFileSync("docs/explanation/answers.md", "utf8").split("\n");
  const expected = FEATURES.map(({ name, about }) => `| \`${name}\` | ${about} |`);
  expect(rows.filter((row) => expected.includes(row))).toEqual(expected);
});
