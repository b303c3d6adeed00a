import { z } from "zod";
import { RecommenderError } from "../../../errors.js";
import { normalizeSource } from "../../../notebook/extract.js";
import { readJsonLines } from "../../../notebook/json-text.js";
import { spreadCells } from "../../notebook-context.js";
import type { PredictionCase } from "../../predictions/prediction-run.js";
import { NO_API_SEQUENCE, readJuiceCode } from "../../published/juice.js";
import { hashOf } from "../../runner/inputs.js";
import { createExercises, type JuiceNotebook } from "./juice-notebooks.js";

/** The source of a case: a cell of any notebook, a solution marked by nbgrader, or the solution of an exercise. */
export const JUICE_KINDS = ["plain", "nbgrader", "exercise"] as const;
export type JuiceKind = (typeof JUICE_KINDS)[number];

/** A code cell, the Markdown cell directly above it, and the cells above both. */
export interface JuiceCase extends PredictionCase {
  readonly kind?: JuiceKind | undefined;
  readonly markdown: string;
  /** The cells above, nearest last, without the Markdown of the case. */
  readonly context: readonly JuiceCell[];
  /** Number of cells above the code in the notebook, if known. */
  readonly cellsAbove?: number | undefined;
}

interface JuiceCell {
  readonly type: "code" | "markdown";
  readonly source: string;
}

const ownSchema = z.object({
  id: z.string().min(1),
  notebook: z.string(),
  kind: z.enum(JUICE_KINDS).optional(),
  markdown: z.string(),
  context: z.array(z.object({ type: z.enum(["code", "markdown"]), source: z.string() })),
  cellsAbove: z.int().nonnegative().optional(),
  reference: z.string(),
});

const tokens = z.array(z.string()).nullish();

/** A line of JuICe's own files, without unused fields. The nearest cell of the context comes first. */
export const publishedSchema = z.object({
  code: z.string(),
  nl: tokens,
  num_cells_above: z.int().nonnegative().nullish(),
  context: z
    .array(
      z.object({ cell_type: z.string(), nl: tokens, nl_original: z.string().nullish(), code: z.string().nullish() }),
    )
    .nullish(),
  metadata: z.object({ path: z.string().nullish(), repo: z.string().nullish() }).nullish(),
});

type PublishedLine = z.output<typeof publishedSchema>;

/** The cases of a JSON-lines file, in our format or JuICe's; INPUT_INVALID names a line that cannot be read. */
export function readJuiceCases(path: string): JuiceCase[] {
  const cases = readJsonLines(path, "cases", z.union([ownSchema, publishedSchema])).map(
    ({ line, value }): JuiceCase => ("reference" in value ? value : fromPublished(value, line)),
  );
  if (cases.length > 0) return cases;
  throw new RecommenderError("INPUT_INVALID", `${path} has no cases; make some with: celrec eval build juice`);
}

function fromPublished(published: PublishedLine, line: number): JuiceCase {
  const { code, num_cells_above: above } = published;
  const cells = cellsOf(published);
  const isAbove = cells.at(-1)?.type === "markdown";
  return {
    id: `line ${line}`,
    notebook: notebookOf(published, line),
    markdown: markdownOf(published),
    context: isAbove ? cells.slice(0, -1) : cells,
    ...(above != null && { cellsAbove: above }),
    reference: normalizeSource(code),
  };
}

export function notebookOf({ metadata }: PublishedLine, line: number): string {
  const { path, repo } = metadata ?? {};
  if (path == null) return `line ${line}`;
  return repo == null ? path : `${repo}/${path}`;
}

/** The cell directly above, if it is Markdown; else the words of the nearest Markdown, which the record repeats. */
export function markdownOf({ context, nl }: PublishedLine): string {
  const [nearest] = context ?? [];
  if (nearest?.cell_type === "markdown") return nearest.nl_original ?? nearest.nl?.join(" ") ?? "";
  return nl?.join(" ") ?? "";
}

/** The context cells of a published line, nearest last. */
function cellsOf({ context }: PublishedLine): JuiceCell[] {
  return (context ?? []).toReversed().flatMap(({ cell_type: type, nl, nl_original: text, code }): JuiceCell[] => {
    if (type === "markdown") return [{ type, source: text ?? nl?.join(" ") ?? "" }];
    return type === "code" ? [{ type, source: code ?? "" }] : [];
  });
}

/** Context cells that a case keeps. */
const MAX_CONTEXT = 10;
const MAX_TOKENS: Readonly<Record<JuiceKind, number>> = { plain: 120, nbgrader: 120, exercise: 125 };
const MAX_API_NAMES = 15;
const MAX_DEFINITIONS = 1;

export interface BuildOptions {
  /** Maximum number of cases from one notebook, evenly spread over it. Notebooks with solutions have no limit. */
  readonly perNotebook: number;
  readonly kinds: readonly JuiceKind[];
  /** Maximum number of code cells per Markdown cell in a notebook. */
  readonly maxCodeRatio: number;
}

export const BUILD_DEFAULTS: BuildOptions = { perNotebook: 2, kinds: JUICE_KINDS, maxCodeRatio: 3 };

/**
 * Cases by the rules of the paper: code that Python 3.7 can parse, with one English Markdown cell directly above, of a notebook with at
 * most three times as many code cells as Markdown cells; at most 120 canonical tokens (125 in the solution of an exercise), 15
 * API names and one `def`, no class. No two cases have the same code and the same cells above. Of a notebook that nbgrader
 * made only the solutions count, of the solution of an exercise only the cells that the exercise does not have.
 */
export function buildJuice(
  notebooks: readonly JuiceNotebook[],
  { perNotebook, kinds, maxCodeRatio }: BuildOptions = BUILD_DEFAULTS,
): JuiceCase[] {
  const exerciseOf = createExercises(notebooks);
  const known = new Set<string>();
  return notebooks.flatMap((notebook) => {
    if (!isDescribed(notebook, maxCodeRatio)) return [];
    const exercise = exerciseOf(notebook);
    const kind = notebook.solutions.size > 0 ? "nbgrader" : exercise === null ? "plain" : "exercise";
    if (!kinds.includes(kind)) return [];
    const exerciseCells = new Set(exercise?.cells.map(({ source }) => normalizeSource(source).trim()));
    const found = notebook.cells
      .filter(({ index, source }) => {
        if (kind === "nbgrader") return notebook.solutions.has(index);
        return !exerciseCells.has(normalizeSource(source).trim());
      })
      .flatMap((cell) => toCase(notebook, cell, kind) ?? [])
      .filter(({ markdown, context, reference }) => {
        const key = hashOf([readJuiceCode(reference)!.canonicalTokens, markdown, context]);
        return !known.has(key) && known.add(key);
      });
    return kind === "plain" ? spreadCells(found, perNotebook) : found;
  });
}

/** Whether a notebook has enough Markdown cells. */
export function isDescribed({ cells }: JuiceNotebook, maxCodeRatio: number): boolean {
  const count = (type: string) => cells.filter((cell) => cell.type === type && cell.source.trim() !== "").length;
  return count("code") <= maxCodeRatio * count("markdown");
}

function toCase(
  { name, cells }: JuiceNotebook,
  { type, source, index }: JuiceNotebook["cells"][number],
  kind: JuiceKind,
): JuiceCase | null {
  const above = cells[index - 1];
  if (type !== "code" || above?.type !== "markdown" || !isEnglish(above.source)) return null;
  const reference = normalizeSource(source);
  if (!isTarget(reference, kind)) return null;
  return {
    id: `${name}#${index}`,
    notebook: name,
    kind,
    markdown: above.source,
    context: cells
      .slice(0, index - 1)
      .filter((cell) => cell.source.trim() !== "")
      .flatMap((cell): JuiceCell[] => (cell.type === "other" ? [] : [{ type: cell.type, source: cell.source }]))
      .slice(-MAX_CONTEXT),
    cellsAbove: index,
    reference,
  };
}

function isTarget(code: string, kind: JuiceKind): boolean {
  const wholeCell = readJuiceCode(code);
  const read = kind === "nbgrader" ? readJuiceCode(solutionIn(code)) : wholeCell;
  if (wholeCell === null || read === null || isUnsolved(code)) return false;
  const { canonicalTokens, apiSequence } = read;
  const names = apiSequence.filter((api) => api !== NO_API_SEQUENCE);
  return (
    canonicalTokens.length <= MAX_TOKENS[kind] &&
    names.length <= MAX_API_NAMES &&
    canonicalTokens.filter((token) => token === "def").length <= MAX_DEFINITIONS &&
    !canonicalTokens.includes("class")
  );
}

/** The code between nbgrader's marks; the whole cell if it has none, or if that code does not parse. */
function solutionIn(code: string): string {
  const [, enclosed] = /^[ \t]*###\s*BEGIN SOLUTION[^\n]*\n([\s\S]*?)^[ \t]*###\s*END SOLUTION/m.exec(code) ?? [];
  if (enclosed === undefined) return code;
  const indent = /^[ \t]*/.exec(enclosed)![0];
  const body = enclosed
    .split("\n")
    .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
    .join("\n");
  // The parser accepts `return` outside of a function.
  return readJuiceCode(body) === null ? code : body;
}

/** The text that nbgrader leaves for students. */
const isUnsolved = (code: string): boolean => /#\s*YOUR CODE HERE/i.test(code) && /NotImplementedError/.test(code);

/** Frequent short words of common languages, without words that two of these languages share. */
const FREQUENT_WORDS: Readonly<Record<string, string>> = {
  english:
    "the of and to is in that it for with as this are be on by from you we can not have which will at or an if what how our your use using",
  spanish: "el los las que y una por con para es del se lo como más pero sus al este esta vamos datos",
  portuguese: "os não uma com mais dos das ao são também você nós vamos dados ou pela pelo foi isso",
  french: "le les et des une est dans qui sur pour avec ce il nous vous sont aux données cette ou ici",
  german: "der die das und ist nicht ein eine den mit von zu auf für wir sie dem werden sich auch hier",
  italian: "il gli che di per con sono della del nel una questo questa dati come più anche alla dei",
  dutch: "het een van en dat niet zijn op voor met wij deze bij ook wordt naar",
  turkish: "ve bir bu için ile olarak veri daha gibi",
};
const LANGUAGES = new Map(
  Object.entries(FREQUENT_WORDS).map(([language, words]) => [language, new Set(words.split(" "))]),
);

/** Minimum share of the letters that must be Latin. */
const MIN_LATIN = 0.9;

/**
 * Guesses from letters and frequent words whether Markdown is English. Code, links and formulas do not count. A heading without a frequent word counts as English if its letters are unaccented Latin letters.
 * @example isEnglish("## Load the data") // true
 */
export function isEnglish(markdown: string): boolean {
  const text = markdown
    .replace(/```[\s\S]*?```|`[^`]*`|\$\$[\s\S]*?\$\$|\$[^$\n]*\$|<[^>]*>|https?:\S+/g, " ")
    .toLowerCase();
  const letters = text.match(/\p{L}/gu) ?? [];
  if (letters.length === 0) return false;
  const latin = letters.filter((letter) => /\p{Script=Latin}/u.test(letter)).length;
  if (latin < MIN_LATIN * letters.length) return false;
  const words = text.match(/\p{L}+/gu)!;
  const counts = [...LANGUAGES].map(([language, known]) => ({
    language,
    count: words.filter((word) => known.has(word)).length,
  }));
  const english = counts.find(({ language }) => language === "english")!.count;
  const others = Math.max(...counts.filter(({ language }) => language !== "english").map(({ count }) => count));
  if (english === 0 && others === 0) return letters.every((letter) => letter <= "z");
  return english >= others && english > 0;
}
