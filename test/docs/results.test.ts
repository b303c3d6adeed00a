import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { celrec } from "../cli/celrec.js";
import { isLongRun } from "../require.js";

const page = readFileSync("docs/explanation/results.md", "utf8");
const METRICS = ["precision@3", "ap@3", "ndcg-ideal@3", "ndcg-published@3", "ndcg@3"];

/** Rows whose last column is a command that only needs this repository. */
const rows = [...page.matchAll(/^\| [^|]+ \|((?: [\d.]+ \|){5}) `(celrec eval celrec[^`]*)` \|$/gm)].map(
  ([, values, command]) => [command!, values!.split("|").slice(0, -1)] as const,
);
/** A run takes seconds, so only two of them are repeated every time. */
const QUICK = ["celrec eval celrec", "celrec eval celrec --mode complete"];

describe("the results page", () => {
  it("has a row for each command that is repeated", () => {
    expect(rows.length).toBe(12);
    expect(QUICK.filter((command) => !rows.some(([each]) => each === command))).toEqual([]);
  });

  it.each(rows.filter(([command]) => isLongRun || QUICK.includes(command)))(
    "shows what %s prints",
    { timeout: 240_000 },
    async (command, values) => {
      const env = { CELREC_EMBEDDER: "" };
      const { stdout } = await celrec([...command.split(" ").slice(1), "--json"], { env });
      const { mps1 } = JSON.parse(stdout) as { readonly mps1: Readonly<Record<string, number>> };
      expect(METRICS.map((metric) => format(mps1[metric]!))).toEqual(values.map((value) => value.trim()));
    },
  );
});

/** The format of figures on the page: four decimals without a leading zero. */
const format = (value: number) => value.toFixed(4).replace(/^0/, "");
