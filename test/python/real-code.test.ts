import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readNotebooks } from "../../src/notebook/corpus/open-paths.js";
import { cellId, extractCells } from "../../src/notebook/extract.js";
import { parses } from "../../src/python/grammar.js";
import { strip } from "../../src/python/strip.js";
import { maskMagics, tokenize } from "../../src/python/tokenize.js";
import { requires, sharedData } from "../require.js";
import { findGap, findLostLine, runningTokens } from "./properties.js";
import { commentsAndStrings } from "./syntax-tree.js";

const shared = join(sharedData, "notebooks");
const hasShared = requires("shared", existsSync(shared), `real notebooks in ${shared}`);
/** Each row has a name, a folder, the number of code cells, and the sampling step for the slow parser. */
const CORPORA = [
  ["the samples", "examples/notebooks", 459, 1],
  ...(hasShared ? [["real notebooks", shared, 28_470, 10] as const] : []),
] as const;

describe.each(CORPORA)("the code cells of %s", async (_, folder, count, every) => {
  const cells = await readCells(folder);

  it("are complete", () => {
    expect(cells.length).toBe(count);
  });

  it("keep their ids", () => {
    expect(cells.filter(({ code, id }) => cellId(code) !== id)).toEqual([]);
  });

  it("are unchanged by a second cleaning, keep their tokens, and map lines back", () => {
    const wrong = cells.flatMap(({ code, place }) => {
      const tokens = tokenize(code);
      const clean = strip(code, tokens).text;
      const cleanTokens = tokenize(clean);
      const running = runningTokens(tokens).join("\n") === runningTokens(cleanTokens).join("\n");
      const problems = [
        findGap(code, tokens),
        findLostLine(code, tokens),
        running ? null : "other tokens",
        strip(clean, cleanTokens).text === clean ? null : "cleaning again changes it",
        cleanTokens.some(({ kind }) => kind === "comment") ? "a comment is left" : null,
      ];
      return problems.flatMap((problem) => (problem === null ? [] : [`${place}: ${problem}`]));
    });
    expect(wrong).toEqual([]);
  });

  it("have the strings and comments that the parser sees, and parse after cleaning", () => {
    const sample = cells.filter((_, at) => at % every === 0);
    const wrong = sample.flatMap(({ code, place }) => {
      const tokens = tokenize(code);
      const masked = maskMagics(code, tokens);
      if (!parses(masked)) return [];
      const placed = (wanted: string) =>
        tokens.flatMap(({ kind, start, text }) => (kind === wanted ? [`${start}: ${text}`] : []));
      const seen = commentsAndStrings(masked);
      const problems = [
        placed("comment").join("\n") === seen?.comments.join("\n") ? null : "other comments",
        placed("string").join("\n") === seen?.strings.join("\n") ? null : "other strings",
        parses(maskMagics(strip(code, tokens).text)) ? null : "does not parse after cleaning",
      ];
      return problems.flatMap((problem) => (problem === null ? [] : [`${place}: ${problem}`]));
    });
    expect(wrong).toEqual([]);
  });

  it("are accepted in halves and reversed", () => {
    const wrong = cells.flatMap(({ code, place }, at) => {
      if (at % every !== every - 1) return [];
      const broken = at % 2 === 1 ? code.slice(0, code.length / 2) : [...code].reverse().join("");
      const clean = strip(broken).text;
      const problems = [
        findGap(broken, tokenize(broken)),
        findLostLine(broken),
        strip(clean).text === clean ? null : "cleaning again changes it",
      ];
      return problems.flatMap((problem) => (problem === null ? [] : [`${place}: ${problem}`]));
    });
    expect(wrong).toEqual([]);
  });
});

async function readCells(folder: string): Promise<{ id: string; code: string; place: string }[]> {
  const cells: { id: string; code: string; place: string }[] = [];
  for await (const { path, parsed } of readNotebooks([folder])) {
    if (!("notebook" in parsed)) continue;
    for (const { id, code, cellIndex } of extractCells(parsed.notebook))
      cells.push({ id, code, place: `${path} ${cellIndex}` });
  }
  return cells;
}
