import {
  closeSync,
  createReadStream,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream";
import csvParser from "csv-parser";
import { z } from "zod";
import { RecommenderError } from "../../../errors.js";
import { normalizeSource } from "../../../notebook/extract.js";
import type { NotebookCell } from "../../../notebook/notebook.js";
import { parseNotebook } from "../../../notebook/parse-notebook.js";
import { listDataFolder } from "../../execute/record-cells.js";
import type { ContextCell } from "../../notebook-context.js";
import { requireDistinctIds } from "../../runner/inputs.js";
import { type Problem, readOwnProblems } from "./exeds-problems.js";

/** A cell above; ExeDS writes an empty object for a missing cell. `ori` is the text, `str` has masked strings. */
const cellSchema = z.object({
  cell_type: z.string().optional(),
  ori: z.string().nullish(),
  str: z.string().nullish(),
});

const entrySchema = z.object({
  idx: z.union([z.string(), z.number()]).optional(),
  /** The folder of the notebook. */
  file: z.string().regex(/^[\w.-]+$/, "must be the name of a folder"),
  executable: z.union([z.number(), z.boolean()]).transform(Number),
  table_keys: z
    .array(z.string())
    .nullish()
    .transform((keys) => keys ?? []),
  context_dist1: cellSchema.nullish(),
  context_dist2: cellSchema.nullish(),
  context_dist3: cellSchema.nullish(),
  output: z.object({ ori: z.string(), position: z.coerce.number().int().min(0) }),
});

type Entry = z.output<typeof entrySchema>;

const NOTEBOOKS = "ExeDS_notebooks";
const ANSWERS = "answers.csv";
/** `answers.csv` is read by position, as ExeDS's program does: its header is not documented. */
const COLUMNS = { notebook: 0, row: 1, answers: [2, 3, 4], type: 9 } as const;

interface ReadOptions {
  /** The notebooks of ExeDS's release; `ExeDS_notebooks` beside the problems by default. */
  readonly notebooks?: string | undefined;
  /** Prints a note. */
  note(text: string): void;
}

/** The problems of a file: JSON lines in our form, or ExeDS's released JSON array with its notebooks and answers. */
export async function readProblems(path: string, options: ReadOptions): Promise<Problem[]> {
  const problems = isReleased(path) ? await readReleased(path, options) : readOwnProblems(path);
  if (problems.length === 0) throw new RecommenderError("INPUT_INVALID", `${path} has no problems.`);
  requireDistinctIds(problems, path);
  return problems;
}

/** Whether a file is ExeDS's: one JSON array. Our own files are JSON lines. */
function isReleased(path: string): boolean {
  const start = Buffer.alloc(64);
  try {
    const file = openSync(path, "r");
    readSync(file, start, 0, start.length, 0);
    closeSync(file);
  } catch (cause) {
    throw new RecommenderError("NOT_FOUND", `The problems ${path} cannot be read: ${(cause as Error).message}`, {
      cause,
    });
  }
  return /^[\uFEFF\s]*\[/.test(start.toString("utf8"));
}

/**
 * The problems of `exeds_test.json` with the answers of `answers.csv` and the notebooks of `ExeDS_notebooks`: each notebook runs
 * up to the cell in question. Entries that are not executable are left out, as ExeDS does.
 */
async function readReleased(path: string, { notebooks, note }: ReadOptions): Promise<Problem[]> {
  const folder = notebooks ?? join(dirname(path), NOTEBOOKS);
  if (!existsSync(folder))
    throw notFound(
      `There is no folder ${folder}; name the notebooks of ExeDS's release with --exeds-notebooks FOLDER.`,
    );
  const entries = readEntries(path);
  const answers = await readAnswers([join(folder, ANSWERS), join(dirname(path), ANSWERS)]);
  const executable = entries.filter((entry) => entry.executable === 1);
  if (executable.length < entries.length)
    note(`${entries.length - executable.length} of ${entries.length} entries are not executable and are left out.`);
  const missing: string[] = [];
  const problems = executable.flatMap((entry) => {
    const answer = answers.get(keyOf(entry.file, entry.output.position));
    if (answer === undefined) missing.push(keyOf(entry.file, entry.output.position));
    return answer === undefined ? [] : [toProblem(entry, answer, join(folder, entry.file))];
  });
  if (missing.length > 0)
    note(`${missing.length} entries have no row in ${ANSWERS} and are left out, ${missing[0]} for example.`);
  return problems;
}

/** ExeDS's id of a problem: the notebook's name up to its first dot, `R`, and the position of the cell. */
const keyOf = (file: string, position: number | string): string => `${file.split(".")[0]}R${position}`;

function readEntries(path: string): Entry[] {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, "utf8").replace(/^\uFEFF/, ""));
  } catch (cause) {
    throw invalid(`${path} is not JSON: ${(cause as Error).message}`);
  }
  const parsed = z.array(entrySchema).safeParse(json);
  if (parsed.success) return parsed.data;
  const { path: where, message } = parsed.error.issues[0]!;
  throw invalid(`${path}, entry ${where.map(String).join(".")}: ${message}`);
}

interface Answer {
  readonly answers: readonly string[];
  readonly answerType: string;
}

async function readAnswers(candidates: readonly string[]): Promise<Map<string, Answer>> {
  const file = candidates.find((candidate) => existsSync(candidate));
  if (file === undefined) throw notFound(`There is no ${ANSWERS} at ${candidates.join(" or ")}.`);
  const rows = csvParser({ headers: false, skipLines: 0 });
  // The callback is empty, because the loop over `rows` throws the errors of both streams.
  pipeline(createReadStream(file), rows, () => {});
  const answers = new Map<string, Answer>();
  let isHeader = true;
  for await (const row of rows as AsyncIterable<Readonly<Record<string, string>>>) {
    if (!isHeader) {
      const accepted = COLUMNS.answers.map((column) => row[column] ?? "");
      answers.set(keyOf(row[COLUMNS.notebook] ?? "", row[COLUMNS.row] ?? ""), {
        // Empty answers are kept, because ExeDS's program uses them.
        answers: accepted,
        answerType: row[COLUMNS.type] ?? "",
      });
    }
    isHeader = false;
  }
  return answers;
}

function toProblem(entry: Entry, { answers, answerType }: Answer, folder: string): Problem {
  const { file, output } = entry;
  const { cells, name } = readCells(folder);
  if (cells.length <= output.position)
    throw invalid(`${join(folder, name)} has ${cells.length} cells; the problem is about cell ${output.position}.`);
  const local = (code: string) => withLocalPaths(normalizeSource(code), file);
  const above = [entry.context_dist3, entry.context_dist2, entry.context_dist1].flatMap((cell): ContextCell[] => {
    const source = cell?.ori || cell?.str;
    return source ? [{ type: cell!.cell_type === "code" ? "code" : "markdown", source: local(source) }] : [];
  });
  const { context, intent } = splitIntent(above);
  const files = listDataFolder(folder);
  return {
    id: keyOf(file, output.position),
    notebook: file,
    before: cells
      .slice(0, output.position)
      .filter(({ type, source }) => type === "code" && source.trim() !== "")
      .map(({ source }) => local(source)),
    context,
    columns: columnsLine(entry.table_keys),
    intent,
    reference: local(output.ori),
    output: answers.find((answer) => answer !== "") ?? "",
    answers,
    answerType,
    files: Object.fromEntries(Object.entries(files).filter(([path]) => !path.endsWith(".ipynb"))),
  };
}

/** The intent is the Markdown directly above, else the nearest Markdown, which then remains among the cells, too. */
function splitIntent(above: readonly ContextCell[]): { context: readonly ContextCell[]; intent: string } {
  const end = above.findLastIndex(({ type }) => type === "code") + 1;
  const directly = above.slice(end);
  if (directly.length > 0)
    return { context: above.slice(0, end), intent: directly.map(({ source }) => source).join("\n\n") };
  return { context: above, intent: above.findLast(({ type }) => type === "markdown")?.source ?? "" };
}

/** @example columnsLine(["age", "'city'"]) // "df.columns=['age', 'city']" */
export function columnsLine(keys: readonly string[], frame = "df"): string {
  const names = keys.map((key) => key.replace(/^(['"])(.*)\1$/, "$2")).filter((name) => name !== "");
  return names.length === 0 ? "" : `${frame}.columns=[${names.map(quote).join(", ")}]`;
}

const quote = (name: string): string => `'${name.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** The data files are in the kernel's working folder. */
function withLocalPaths(code: string, file: string): string {
  const name = file.replaceAll(".", "\\.");
  const folder = new RegExp(`(?:\\[DATA_ROOT\\]|[\\w.~/-]*)/${name}/`, "g");
  return code
    .replace(folder, "./")
    .replace(new RegExp(`\\[DATA_ROOT\\]/${name}\\b`, "g"), ".")
    .replaceAll("[DATA_ROOT]", ".");
}

function readCells(folder: string): { readonly name: string; readonly cells: readonly NotebookCell[] } {
  const names = existsSync(folder) && statSync(folder).isDirectory() ? readdirSync(folder) : [];
  // A folder may also contain an executed copy.
  const found = names.filter((name) => name.endsWith(".ipynb") && !name.startsWith("run_")).sort();
  const [name] = found;
  if (name === undefined) throw notFound(`There is no notebook in ${folder}.`);
  const parsed = parseNotebook(readFileSync(join(folder, name), "utf8"));
  if ("rejected" in parsed) throw invalid(`${join(folder, name)}: ${parsed.rejected.reason}.`);
  return { name, cells: parsed.notebook.cells };
}

const notFound = (message: string): RecommenderError => new RecommenderError("NOT_FOUND", message);
const invalid = (message: string): RecommenderError => new RecommenderError("INPUT_INVALID", message);
