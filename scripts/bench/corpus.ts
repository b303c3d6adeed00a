import { existsSync, readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { createRandom } from "../../src/evaluate/statistics/bootstrap.js";
import { extractCells } from "../../src/notebook/extract.js";
import { parseBytes } from "../../src/notebook/formats.js";
import type { NamedNotebook } from "../../src/notebook/notebook.js";

const SHARED = "../shared/data";
const CELLS_PER_NOTEBOOK = 25;

/** Real notebooks if available, else the samples. */
export function notebookFolder(): string {
  return existsSync(`${SHARED}/notebooks`) ? `${SHARED}/notebooks` : "examples/notebooks";
}

/** `count` distinct cells: all real ones, then cells made from halves of two real ones. */
export function makeCorpus(count: number): string[] {
  const real = realCells().slice(0, count);
  const corpus = new Set(real);
  const random = createRandom(7);
  const draw = () => real[Math.floor(random() * real.length)]!.split("\n");
  while (corpus.size < count) {
    const [head, tail] = [draw(), draw()];
    corpus.add([...head.slice(0, Math.ceil(head.length / 2)), ...tail.slice(Math.floor(tail.length / 2))].join("\n"));
  }
  return [...corpus];
}

/** Unchanged real notebooks, including shared cells, up to `count` cells; then made notebooks. */
export function makeNotebooks(count: number): { readonly notebooks: NamedNotebook[]; readonly cells: number } {
  const notebooks: NamedNotebook[] = [];
  let cells = 0;
  for (const each of readNotebooks()) {
    const size = extractCells(each.notebook).length;
    if (cells + size > count) continue;
    notebooks.push(each);
    cells += size;
  }
  const made = toNotebooks(makeCorpus(count)).slice(Math.ceil(cells / CELLS_PER_NOTEBOOK));
  const madeCells = made.reduce((sum, { notebook }) => sum + extractCells(notebook).length, 0);
  return { notebooks: [...notebooks, ...made], cells: cells + madeCells };
}

/** The distinct cells of the notebooks and of the training set, if available. */
export function realCells(): string[] {
  return [...new Set([...readFolder(), ...readTraining()])].filter((code) => code.trim() !== "");
}

export function toNotebooks(corpus: readonly string[]): NamedNotebook[] {
  return Array.from({ length: Math.ceil(corpus.length / CELLS_PER_NOTEBOOK) }, (_, at) => {
    const cells = corpus.slice(at * CELLS_PER_NOTEBOOK, (at + 1) * CELLS_PER_NOTEBOOK);
    return {
      name: `bench-${at}.ipynb`,
      notebook: { cells: cells.map((source, index) => ({ index, type: "code" as const, source })) },
    };
  });
}

/** Prefixes of cells, as a user would have typed them. */
export function makeQueries(corpus: readonly string[], count: number): string[] {
  const random = createRandom(11);
  return Array.from({ length: count }, () => {
    const lines = corpus[Math.floor(random() * corpus.length)]!.split("\n");
    return lines.slice(0, 1 + Math.floor(random() * Math.min(6, lines.length))).join("\n");
  });
}

const readFolder = (): string[] =>
  [...readNotebooks()].flatMap(({ notebook }) => extractCells(notebook).map(({ code }) => code));

function* readNotebooks(): Generator<NamedNotebook> {
  const names = readdirSync(notebookFolder(), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ipynb"),
  );
  for (const name of names.sort()) {
    const parsed = parseBytes("ipynb", readFileSync(`${notebookFolder()}/${name}`));
    if ("notebook" in parsed) yield { name, notebook: parsed.notebook };
  }
}

function readTraining(): string[] {
  const file = `${SHARED}/training/notebooks.jsonl.gz`;
  if (!existsSync(file)) return [];
  return gunzipSync(readFileSync(file))
    .toString()
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line) => (JSON.parse(line) as { cells: { type: string; source: string }[] }).cells)
    .filter(({ type }) => type === "code")
    .map(({ source }) => source);
}
