import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { mutators } from "../../mutators/index.js";
import { maskMagics, parses } from "../../src/clean/tokenize.js";
import { parseNotebook } from "../../src/notebook/parse.js";
import { requires, sharedData } from "../require.js";
import { compileCells, hasPython } from "./python.js";

const folder = join(sharedData, "notebooks");
const CELLS = 2000;
const preserving = mutators.filter(({ kind }) => kind === "preserving");

const hasData = requires("shared", existsSync(folder), `put the shared notebooks into ${folder}`);
const canCompile = hasData && requires("python", hasPython, "install Python 3.10 or newer as python3");

describe.runIf(hasData)("operators on real cells", () => {
  let cells: string[];
  beforeAll(() => {
    cells = sampleCells();
  });

  it.each(mutators)("$name never throws, and keeps parsable what it should", ({ name, kind, apply }) => {
    // Our parser, unlike Python, stumbles over comments at the margin in brackets of an indented block; Python has its say below.
    const parsable = kind === "preserving" && name !== "insert-comments";
    const broken = cells.filter((code) => {
      const changed = apply(code);
      return parsable && changed !== code && parses(maskMagics(code)) && !parses(maskMagics(changed));
    });
    expect(broken).toEqual([]);
  });

  it.runIf(canCompile)("keeps what Python compiles compilable", () => {
    const compiled = compileCells(cells);
    const good = cells.filter((_, at) => compiled[at]);
    const mutants = preserving.flatMap(({ name, apply }) =>
      good.map((code) => ({ name, code, mutant: apply(code) })).filter(({ code, mutant }) => code !== mutant),
    );
    const results = compileCells(mutants.map(({ mutant }) => mutant));
    expect(mutants.filter((_, at) => !results[at])).toEqual([]);
  });
});

/** Every so many cells of all notebooks, in the order of their paths. */
function sampleCells(): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ipynb"));
  const all = files.sort().flatMap((file) => {
    const parsed = parseNotebook(readFileSync(join(folder, file), "utf8"));
    if ("rejected" in parsed) return [];
    return parsed.notebook.cells.filter(({ type }) => type === "code").map(({ source }) => source);
  });
  const distinct = [...new Set(all)];
  return distinct.filter((_, at) => at % Math.max(1, Math.floor(distinct.length / CELLS)) === 0);
}
