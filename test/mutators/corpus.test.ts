import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { mutators } from "../../mutators/index.js";
import { parseNotebook } from "../../src/notebook/parse-notebook.js";
import { parses } from "../../src/python/grammar.js";
import { maskMagics } from "../../src/python/tokenize.js";
import { requires, sharedData, takesLong } from "../require.js";
import { compileCells, hasPython } from "./python.js";

const shared = join(sharedData, "notebooks");
const CELLS = 2000;

const hasShared = takesLong() && requires("shared", existsSync(shared), `put the shared notebooks into ${shared}`);
const canCompile = requires("python", hasPython, "install Python 3.10 or newer as python3");
const CORPORA = [
  ["the samples", "examples/notebooks"],
  ...(hasShared ? [["real notebooks", shared] as const] : []),
] as const;

describe.each(CORPORA)("operators on the cells of %s", (_, folder) => {
  let cells: { readonly code: string; readonly isParsable: boolean }[];
  const mutants: { readonly name: string; readonly code: string; readonly mutant: string }[] = [];
  beforeAll(() => {
    cells = sampleCells(folder).map((code) => ({ code, isParsable: parses(maskMagics(code)) }));
  });

  it.each(mutators)("$name never throws, and keeps code parsable if it should", ({ name, kind, apply }) => {
    const changed = cells
      .map((cell) => ({ ...cell, name, mutant: apply(cell.code) }))
      .filter((cell) => cell.code !== cell.mutant);
    expect(changed.length).toBeGreaterThan(0);
    if (kind !== "preserving") return;
    mutants.push(...changed);
    // Unlike Python, our parser rejects unindented comments inside brackets of an indented block; Python checks these
    // cases below.
    if (name === "insert-comments") return;
    expect(changed.filter(({ isParsable, mutant }) => isParsable && !parses(maskMagics(mutant)))).toEqual([]);
  });

  it.runIf(canCompile)("keeps valid Python valid", () => {
    const compiled = compileCells(
      [...cells, ...mutants.map(({ mutant }) => ({ code: mutant }))].map(({ code }) => code),
    );
    const good = new Set(cells.filter((_, at) => compiled[at]).map(({ code }) => code));
    const broken = mutants.filter(({ code }, at) => good.has(code) && !compiled[cells.length + at]);
    expect(good.size).toBeGreaterThan(cells.length / 2);
    expect(broken).toEqual([]);
  });
});

/** An even sample of the cells of all notebooks, in the order of their paths. */
function sampleCells(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ipynb"));
  const all = files.sort().flatMap((file) => {
    const parsed = parseNotebook(readFileSync(join(folder, file), "utf8"));
    if ("rejected" in parsed) return [];
    return parsed.notebook.cells.filter(({ type }) => type === "code").map(({ source }) => source);
  });
  const distinct = [...new Set(all)];
  return distinct.filter((_, at) => at % Math.max(1, Math.floor(distinct.length / CELLS)) === 0);
}
