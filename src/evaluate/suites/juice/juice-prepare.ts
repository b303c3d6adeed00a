import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { RecommenderError } from "../../../errors.js";
import { cellId, extractCells } from "../../../notebook/extract.js";
import type { NamedNotebook, NotebookCell } from "../../../notebook/notebook.js";
import { loadGrammar } from "../../../python/grammar.js";
import { hashOf, requireDistinctIds } from "../../runner/inputs.js";
import type { BuildRequest, CaseDeps, LinesBuilder, Prepared, SuiteOption } from "../../suite.js";
import {
  BUILD_DEFAULTS,
  type BuildOptions,
  buildJuice,
  isDescribed,
  JUICE_KINDS,
  type JuiceCase,
  type JuiceKind,
  markdownOf,
  notebookOf,
  publishedSchema,
  readJuiceCases,
} from "./juice-cases.js";
import { type JuiceNotebook, readRawNotebooks, toJuiceNotebook } from "./juice-notebooks.js";
import { describeJuice } from "./juice-statistics.js";

export interface JuiceOptions {
  readonly cases?: string;
  readonly notebooks?: readonly string[];
  readonly index?: readonly string[];
  readonly train?: string;
  readonly trainSize?: number;
  readonly contextCells: number;
}

export interface JuiceCases extends Prepared {
  readonly cases: readonly JuiceCase[];
  readonly index: readonly NamedNotebook[];
  readonly contextCells: number;
  readonly origin: Readonly<Record<string, string | string[]>>;
}

const MAX_NUMBER = 100_000_000;

export const juiceOptions: readonly SuiteOption[] = [
  {
    flags: "--cases <file>",
    description: "JSON lines from `celrec eval build juice`, or JuICe's dev or test",
    value: "text",
  },
  {
    flags: "--notebooks <paths...>",
    description: "make the cases from these notebooks, or JuICe's raw ones (.jsonl), instead",
    value: "list",
  },
  {
    flags: "--index <paths...>",
    description: "notebooks to recommend from; must not include those of the cases",
    value: "list",
  },
  {
    flags: "--train <file>",
    description: "JuICe's train file to recommend from, in addition to --index or instead of it",
    value: "text",
  },
  {
    flags: "--train-size <number>",
    description: "recommend from this many code cells only, chosen by a hash",
    value: { min: 1, max: MAX_NUMBER },
  },
  {
    flags: "--context-cells <number>",
    description: "number of cells above that the target gets, including the Markdown directly above",
    value: { min: 1, max: 50 },
    fallback: 3,
  },
];

const isRawFile = (path: string): boolean => path.endsWith(".jsonl");

export const juiceBuilder: LinesBuilder = {
  description: "cases for `celrec eval juice`, by the rules of the paper",
  options: [
    {
      flags: "--per-notebook <number>",
      description: "maximum number of cases per notebook, evenly spread; notebooks with solutions have no limit",
      value: { min: 1, max: MAX_NUMBER },
      fallback: BUILD_DEFAULTS.perNotebook,
    },
    {
      flags: "--max-code-ratio <number>",
      description: "maximum number of code cells per Markdown cell in a notebook",
      value: { min: 1, max: 1_000 },
      fallback: BUILD_DEFAULTS.maxCodeRatio,
    },
    {
      flags: "--kinds <names>",
      description: `which cases: ${JUICE_KINDS.join(", ")}`,
      value: "text",
      fallback: JUICE_KINDS.join(","),
    },
  ],
  reads: isRawFile,
  build: buildCases,
};

/** Reads or makes the cases, and reads the notebooks to recommend from. */
export async function prepareJuice(given: JuiceOptions, deps: CaseDeps): Promise<JuiceCases> {
  const { cases: file, notebooks, index: paths = [], train, trainSize, contextCells } = given;
  if ((file === undefined) === (notebooks === undefined))
    throw invalid("Give either --cases FILE or --notebooks PATHS.");
  if (paths.length === 0 && train === undefined)
    throw invalid("Give --index PATHS or --train FILE: cells to recommend from.");
  await loadGrammar();
  const cases =
    file === undefined
      ? buildJuice(await openNotebooks(notebooks!, deps.readNotebooks, deps.note))
      : readJuiceCases(file);
  const from = notebooks?.join(", ") ?? file!;
  if (cases.length === 0) throw invalid(`There is no case in ${from}.`);
  requireDistinctIds(cases, from);
  const read = paths.length === 0 ? [] : await deps.readNotebooks(paths);
  // A train file is sampled while it is read, because it may be larger than the memory.
  const examples = train === undefined ? [] : await readTrainFile(train, trainSize);
  const index = [...read, ...examples];
  const sampled = trainSize === undefined ? index : takeExamples(index, trainSize);
  return {
    cases,
    index: sampled,
    contextCells,
    origin: {
      ...(file === undefined ? { notebooks: [...notebooks!] } : { cases: file }),
      index: [...paths],
      ...(train !== undefined && { train }),
    },
    inputs: {
      cases: hashOf(cases),
      index: hashOf(sampled.flatMap(({ notebook }) => extractCells(notebook).map(({ id }) => id))),
    },
    settings: { contextCells, trainSize: trainSize ?? null, examples: countExamples(sampled) },
  };
}

async function buildCases(
  notebooks: readonly NamedNotebook[],
  { paths, options, note }: BuildRequest,
): Promise<object[]> {
  const { kinds: names, ...rules } = options as Omit<BuildOptions, "kinds"> & { kinds: string };
  const kinds = names.split(",").map((name): JuiceKind => {
    const kind = JUICE_KINDS.find((each) => each === name);
    if (kind === undefined) throw invalid(`There are no ${name} cases; the kinds are ${JUICE_KINDS.join(", ")}.`);
    return kind;
  });
  const all = [...notebooks.map(toJuiceNotebook), ...readRaw(paths, note)];
  const cases = buildJuice(all, { ...rules, kinds });
  const sparse = all.filter((notebook) => !isDescribed(notebook, rules.maxCodeRatio)).length;
  if (sparse > 0)
    note(
      `${sparse} of ${all.length} notebooks were left out: more than ${rules.maxCodeRatio} code cells for each Markdown cell (--max-code-ratio).`,
    );
  for (const [name, value] of Object.entries(describeJuice(cases)))
    if (value !== null) note(`${name}: ${Number.isInteger(value) ? value : value.toFixed(2)}`);
  return cases;
}

async function openNotebooks(
  paths: readonly string[],
  readNotebooks: CaseDeps["readNotebooks"],
  note: (text: string) => void,
): Promise<JuiceNotebook[]> {
  const others = paths.filter((path) => !isRawFile(path));
  const read = others.length === 0 ? [] : await readNotebooks(others);
  return [...read.map(toJuiceNotebook), ...readRaw(paths, note)];
}

function readRaw(paths: readonly string[], note: (text: string) => void): JuiceNotebook[] {
  return paths.filter(isRawFile).flatMap((path) => {
    const { notebooks, rejected } = readRawNotebooks(path);
    if (rejected > 0) note(`${path}: ${rejected} lines are no Python notebooks and were skipped.`);
    return notebooks;
  });
}

const countExamples = (notebooks: readonly NamedNotebook[]): number =>
  notebooks.reduce((sum, { notebook }) => sum + notebook.cells.filter(({ type }) => type === "code").length, 0);

const invalid = (message: string): RecommenderError => new RecommenderError("INPUT_INVALID", message);

/**
 * JuICe's training file as notebooks of two cells each: the Markdown directly above, and the code. It is read line by
 * line, because it has 1.5 million lines. With `size`, the examples that come first by a hash of their code are taken,
 * so a smaller set is part of a larger one.
 */
export async function readTrainFile(file: string, size = Number.POSITIVE_INFINITY): Promise<NamedNotebook[]> {
  let kept: { readonly hash: string; readonly example: NamedNotebook }[] = [];
  const cut = () => {
    kept = kept.sort((a, b) => (a.hash < b.hash ? -1 : 1)).slice(0, size);
  };
  let line = 0;
  try {
    for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
      line += 1;
      if (text.trim() === "") continue;
      const parsed = publishedSchema.safeParse(parse(text, file, line));
      if (!parsed.success) throw invalid(`${file}, line ${line}: ${describe(parsed.error.issues[0]!)}`);
      const markdown = markdownOf(parsed.data);
      const cells: NotebookCell[] = [
        { index: 0, type: "markdown", source: markdown },
        { index: 1, type: "code", source: parsed.data.code },
      ];
      const example = { name: `${notebookOf(parsed.data, line)}:${line}`, notebook: { cells } };
      kept.push({ hash: cellId(`${markdown}\n${parsed.data.code}`), example });
      if (kept.length > 2 * size) cut();
    }
  } catch (cause) {
    if (cause instanceof RecommenderError) throw cause;
    throw new RecommenderError("NOT_FOUND", `The examples ${file} cannot be read: ${(cause as Error).message}`, {
      cause,
    });
  }
  if (size !== Number.POSITIVE_INFINITY) cut();
  if (kept.length === 0) throw invalid(`${file} has no examples.`);
  return kept.map(({ example }) => example);
}

/**
 * The first `size` code cells in the order of a hash, each with the Markdown directly above. Notebooks without a chosen
 * cell are left out.
 */
export function takeExamples(notebooks: readonly NamedNotebook[], size: number): NamedNotebook[] {
  const keys = notebooks.flatMap(({ name, notebook }) =>
    notebook.cells.filter(({ type }) => type === "code").map(({ index }) => ({ name, index })),
  );
  const chosen = new Set(
    keys
      .map(({ name, index }) => ({ key: `${name}#${index}`, hash: cellId(`${name}#${index}`) }))
      .sort((a, b) => (a.hash < b.hash ? -1 : 1))
      .slice(0, size)
      .map(({ key }) => key),
  );
  return notebooks.flatMap((named) => {
    const { cells } = named.notebook;
    const isChosen = ({ index }: NotebookCell) => chosen.has(`${named.name}#${index}`);
    const kept = cells.filter((cell, at) => {
      if (cell.type === "code") return isChosen(cell);
      const next = cells[at + 1];
      return cell.type === "markdown" && next?.type === "code" && isChosen(next);
    });
    return kept.length === 0 ? [] : [{ ...named, notebook: { cells: kept } }];
  });
}

function parse(text: string, file: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid(`${file}, line ${line} is not JSON: ${(cause as Error).message}`);
  }
}

const describe = ({ path, message }: { path: readonly PropertyKey[]; message: string }): string =>
  path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`;
