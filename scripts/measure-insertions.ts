// Run after a change to insertions:
//   node dist/scripts/measure-insertions.js NOTEBOOKS INDEX
// INDEX is made by `celrec index` from other notebooks. Cells of the NOTEBOOKS are cut after a third of their lines,
// and after a third of their characters. Prints the number of insertions that give code that does not parse (shown on
// stderr), of insertions with an undefined name, and of hits without an insertion.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compose } from "../src/app/compose.js";
import { parseConfig } from "../src/config.js";
import { createRandom } from "../src/evaluate/statistics/bootstrap.js";
import { hasUndefinedName } from "../src/evaluate/text/name-check.js";
import { extractCells } from "../src/notebook/extract.js";
import { parseBytes } from "../src/notebook/formats.js";
import { loadGrammar, parses } from "../src/python/grammar.js";
import { maskMagics } from "../src/python/tokenize.js";

const [folder, data] = process.argv.slice(2);
if (folder === undefined || data === undefined) throw new Error("usage: measure-insertions.js NOTEBOOKS INDEX");
const NOTEBOOKS = 60;
const MAX_CELLS = 8;
const MAX_LENGTH = 4_000;
const MIN_LINES = 3;

const CUTS: Readonly<Record<string, (code: string) => string>> = {
  "after a line": (code) =>
    code
      .split("\n")
      .slice(0, thirdOf(code.split("\n").length))
      .join("\n"),
  "after a character": (code) => code.slice(0, thirdOf(code.length)),
};

await loadGrammar();
const { ask, close } = await compose(parseConfig({ CELREC_DATA: data }), {
  activity: "measure",
  hold: "call",
  create: false,
});
const counts = Object.fromEntries(
  Object.keys(CUTS).map((name) => [name, { insertions: 0, broken: 0, undefinedNames: 0, none: 0 }]),
);
for (const cells of notebooks(folder)) {
  const wanted = cells.flatMap((code, at) => (isWanted(code) ? at : [])).slice(0, MAX_CELLS);
  for (const at of wanted) {
    for (const [name, cut] of Object.entries(CUTS)) {
      const typed = cut(cells[at]!);
      const context = { before: cells.slice(0, at) };
      const { recommendations } = await ask.recommend({ code: typed, k: 3, context });
      for (const { adapted, continuesLine } of recommendations) {
        if (!parsesAsPython(adapted.code)) continue;
        if (adapted.insert === "") counts[name]!.none += 1;
        if (adapted.insert === "") continue;
        counts[name]!.insertions += 1;
        const text = `${continuesLine ? "" : "\n"}${adapted.insert}`;
        if (hasUndefinedName({ prefix: typed, preceding: context.before }, text)) counts[name]!.undefinedNames += 1;
        if (parsesAsPython(typed + text)) continue;
        counts[name]!.broken += 1;
        console.error(JSON.stringify({ typed, text }));
      }
    }
  }
}
await close();
console.log(JSON.stringify(counts, null, 2));

function* notebooks(root: string): Generator<string[]> {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ipynb"));
  const random = createRandom(7);
  for (const name of names.sort().filter(() => random() < NOTEBOOKS / names.length)) {
    const parsed = parseBytes("ipynb", readFileSync(join(root, name)));
    if ("notebook" in parsed) yield extractCells(parsed.notebook).map(({ code }) => code);
  }
}

function isWanted(code: string): boolean {
  return (
    code.length < MAX_LENGTH &&
    code.split("\n").filter((line) => line.trim() !== "").length >= MIN_LINES &&
    parsesAsPython(code)
  );
}

function parsesAsPython(code: string): boolean {
  return parses(maskMagics(code));
}

function thirdOf(count: number): number {
  return Math.max(1, Math.floor(count / 3));
}
