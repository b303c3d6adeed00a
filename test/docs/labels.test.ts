import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createLabeller } from "../../src/label/create-labeller.js";
import { LABELS } from "../../src/label/labeller.js";
import { strip } from "../../src/python/strip.js";

/** Label and examples of each row of the table of labels. */
const rows = [
  ...readFileSync("docs/reference/labels.md", "utf8").matchAll(/^\| `(\w+)` \| [^|]+ \| (`.*`) \|$/gm),
].flatMap(([, label, examples]) => examples!.split("; ").map((example) => [example.slice(1, -1), label!] as const));

describe("the table of labels", async () => {
  const labeller = await createLabeller({});

  it("has every label, in order", () => {
    expect([...new Set(rows.map(([, label]) => label))].filter((label) => LABELS.includes(label as never))).toEqual(
      LABELS,
    );
  });

  it.each(rows.filter(([, label]) => LABELS.includes(label as never)))("gives %s the label %s", (code, label) => {
    expect(labeller.label(strip(code).text, "cell").primary).toBe(label);
  });
});
