import { statSync } from "node:fs";
import { labelCells } from "../ask/answer-labels.js";
import type { LabelledCell } from "../ask/answers.js";
import { RecommenderError } from "../errors.js";
import type { LabelProbability } from "../label/labeller.js";
import type { Contribution, ExplainingLabeller } from "../label/model-labeller.js";
import { createUniqueNames, type ReadEntry, readNotebooks } from "../notebook/corpus/open-paths.js";
import { extractCells, normalizeSource } from "../notebook/extract.js";
import { asRecord, parseJsonLines } from "../notebook/json-text.js";
import { isNotebookScript } from "../notebook/parse-script.js";
import { strip } from "../python/strip.js";
import { readText } from "./read-input.js";

/**
 * The explanation of a probability: the logit is the sum of `base`, the listed contributions (strongest first) and the
 * `rest`.
 */
interface ShownExplanation {
  readonly label: string;
  readonly probability: number;
  readonly base: number;
  readonly contributions: readonly Contribution[];
  readonly rest: number;
}

/** A cell in the output of `--json`. */
export interface LabelEntry {
  readonly path?: string;
  readonly index: number;
  readonly labels: readonly LabelProbability[];
  readonly probabilities: Readonly<Record<string, number>>;
  readonly explain?: readonly ShownExplanation[];
}

export interface LabelOptions {
  readonly partial?: boolean;
  readonly explain?: boolean;
}

/** Maximum number of listed contributions; most of a cell's hundreds of features contribute almost nothing. */
const MAX_CONTRIBUTIONS = 10;
const FUNCTION_FEATURE = "call of a function that an earlier cell defines";

/** Labels the cells of a file, with explanations if requested. */
export async function labelFile(
  labeller: ExplainingLabeller,
  { cells, isNotebook }: SourceFile,
  { partial = false, explain = false }: LabelOptions,
): Promise<LabelEntry[]> {
  const labelled = await labelCells(labeller, { cells, isNotebook, partial });
  return labelled.map((cell, at) => {
    const { index, labels, probabilities } = cell;
    if (!explain) return { index, labels, probabilities };
    const clean = strip(normalizeSource(cells[at]!.code)).text;
    const reasons = labeller.explain(clean, partial ? "prefix" : "cell");
    return { index, labels, probabilities, explain: reasons.map((one) => shortenExplanation(one, cell)) };
  });
}

/** Keeps the strongest contributions. The labeller explains a cell alone, so the influence of other cells is added. */
function shortenExplanation(
  { label, base, probability: own, contributions }: ReturnType<ExplainingLabeller["explain"]>[number],
  { probabilities }: LabelledCell,
): ShownExplanation {
  const probability = probabilities[label] ?? own;
  const carried = probability > own ? [{ feature: FUNCTION_FEATURE, amount: logit(probability) - logit(own) }] : [];
  const all = [...contributions, ...carried].sort((one, other) => Math.abs(other.amount) - Math.abs(one.amount));
  const rest = all.slice(MAX_CONTRIBUTIONS).reduce((sum, { amount }) => sum + amount, 0);
  return { label, probability, base, contributions: all.slice(0, MAX_CONTRIBUTIONS), rest };
}

/** Replaces infinity, which JSON does not have. */
function logit(probability: number): number {
  const inside = Math.min(1 - 1e-12, Math.max(1e-12, probability));
  return Math.log(inside / (1 - inside));
}

/** Readable names of feature groups; `*` is the feature's name. Other groups are shown as they are. */
const GROUP_NAMES: Readonly<Record<string, string>> = {
  rule: "rule *",
  task: "rules for *",
  calls: "call of *",
  methods: "method .*()",
  attributes: "attribute .*",
  keywords: "argument *=",
  modules: "import of *",
  imports: "import of the name *",
  names: "name *",
  builtins: "builtin *",
  syntax: "* in the code",
  magics: "magic *",
  strings: "string with *",
  kind: "statement: *",
  only: "only statements: *",
  outer: "unindented statement: *",
  first: "first statement: *",
  last: "last statement: *",
  end: "last unindented statement: *",
  statements: "number of statements",
  ends: "a task other than setup, inspection and preparation",
  broken: "lines that are not Python",
  defines: "functions defined",
  constants: "constants in upper case",
};

/**
 * A feature of the label model in words.
 * @example describeFeature("no methods fit") // "no method .fit()"
 */
export function describeFeature(feature: string): string {
  const absent = feature.startsWith("no ");
  const [group, ...name] = (absent ? feature.slice(3) : feature).split(" ");
  const words = GROUP_NAMES[group!];
  if (words === undefined) return feature;
  // A replacement function, because `$` in a string replacement is special.
  return `${absent ? "no " : ""}${words.replace("*", () => name.join(" "))}`;
}

/** A cell to label; `index` is its position in the notebook, its line in a .jsonl, or 0 for plain code. */
interface Source {
  readonly index: number;
  readonly code: string;
}

/** The cells of one file. Cells of a notebook influence each other; cells of other files are independent. */
export interface SourceFile {
  /** The name to show. */
  readonly name: string;
  readonly path: string;
  readonly isNotebook: boolean;
  readonly cells: readonly Source[];
}

export interface RejectedSource {
  readonly name: string;
  readonly reason: string;
}

/** The cells that were read, and the rejected files. */
interface Sources {
  readonly files: readonly SourceFile[];
  readonly rejected: readonly RejectedSource[];
}

/** The cells of notebooks, folders, .jsonl files and plain code; of standard input if no path is given. */
export async function readSources(paths: readonly string[]): Promise<Sources> {
  const nameOf = createUniqueNames();
  const seen = new Set<string>();
  const files: SourceFile[] = [];
  const rejected: RejectedSource[] = [];
  const add = (part: SourceFile | RejectedSource) => {
    if ("reason" in part) rejected.push(part);
    else files.push(part);
  };
  for (const path of paths.length === 0 ? ["-"] : paths) {
    if (!isNotebookPath(path)) {
      add(await readOther(path));
      continue;
    }
    for await (const entry of readNotebooks([path])) {
      // A file that is named twice, also through its folder, is read once.
      if (entry.location !== undefined && seen.has(entry.location)) continue;
      if (entry.location !== undefined) seen.add(entry.location);
      add(toCells(entry, nameOf(entry)));
    }
  }
  return { files, rejected };
}

/** Whether `readSources` looks for notebooks at this path. */
export function isNotebookPath(path: string): boolean {
  return path !== "-" && (path.endsWith(".ipynb") || isFolder(path));
}

async function readOther(path: string): Promise<SourceFile | RejectedSource> {
  if (path.endsWith(".jsonl")) return { name: path, path, isNotebook: false, cells: readLines(path) };
  const code = readText(path);
  if (path !== "-" && isNotebookScript(code))
    for await (const entry of readNotebooks([path])) return toCells(entry, path);
  return { name: path, path, isNotebook: false, cells: [{ index: 0, code }] };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function toCells({ parsed, location }: ReadEntry, name: string): SourceFile | RejectedSource {
  if ("rejected" in parsed) return { name, reason: parsed.rejected.reason };
  const cells = extractCells(parsed.notebook).map(({ cellIndex, code }) => ({ index: cellIndex, code }));
  return { name, path: location ?? name, isNotebook: true, cells };
}

function readLines(path: string): Source[] {
  return Array.from(parseJsonLines(readText(path)), (each) => {
    const where = `${path}, line ${each.line}`;
    if ("fault" in each) throw new RecommenderError("INPUT_INVALID", `${where} is not JSON: ${each.fault}`);
    const code = asRecord(each.value)?.source;
    if (typeof code === "string") return { index: each.line - 1, code };
    throw new RecommenderError("INPUT_INVALID", `${where} has no "source" of type string.`);
  });
}
