import { existsSync, statSync } from "node:fs";
import type { z } from "zod";
import { LIMITS } from "../ask/limits.js";
import { anyText, list, nameText } from "../ask/parse-input.js";
import { RecommenderError } from "../errors.js";
import { readNotebookFile } from "../notebook/formats.js";
import type { NotebookFile, Rejection } from "../notebook/notebook.js";
import { resolveNotebook } from "./addresses.js";
import { type Backend, toIpynb } from "./backend.js";

/** The ways to name a notebook. A path is only for agents on the user's own machine. */
export const givenFields = {
  cells: list(anyText(), LIMITS.cells, "strings").optional().describe("Code in order."),
  path: nameText(4_096).optional().describe("An .ipynb or .py file."),
  notebook: nameText(64).optional().describe("An id."),
};

/** For a server that cannot read the agent's files. */
export const REFUSED_PATH = {
  path: "This server cannot read your files: send `cells`, the code cells of the notebook.",
};

export type GivenNotebook = z.output<z.ZodObject<typeof givenFields>>;
type Ipynb = Record<string, unknown>;

/** An id, or the JSON of an ipynb file. INPUT_INVALID unless exactly one way is used. */
export async function readGiven(
  backend: Backend,
  given: Partial<GivenNotebook>,
  ways: readonly string[],
): Promise<string | Ipynb> {
  const used = Object.entries(given).filter(([, value]) => value !== undefined);
  if (used.length !== 1) throw new RecommenderError("INPUT_INVALID", `Give exactly one of ${ways.join(", ")}.`);
  const { cells, path, notebook } = given;
  if (notebook !== undefined) return resolveNotebook(backend, notebook);
  if (cells !== undefined) return toIpynb({ cells: cells.map((source, index) => ({ index, type: "code", source })) });
  return toIpynb(readPath(path!));
}

/** Only notebook and script files are opened, because an agent may be tricked into asking for others. */
const NOTEBOOK_FILE = /\.(ipynb|py)$/i;

function readPath(path: string): NotebookFile {
  if (!NOTEBOOK_FILE.test(path))
    throw new RecommenderError("NOT_A_NOTEBOOK", `${path} was not opened: only .ipynb and .py files are.`);
  if (!existsSync(path)) throw new RecommenderError("NOT_FOUND", `There is no file ${path}; check the path.`);
  const parsed = readNotebookFile(path);
  if ("notebook" in parsed) return parsed.notebook;
  throw new RecommenderError("NOT_A_NOTEBOOK", `${path} was rejected: ${describeRejection(parsed.rejected.kind)}`);
}

const CORPUS_FILE = /\.(ipynb|py|json|jsonl|ndjson|zip|tar|tgz|gz)$/i;

/** NOT_A_NOTEBOOK for a file that is neither a notebook nor a collection of them. Folders are searched for notebooks only. */
export function checkCorpusPaths(paths: readonly string[]): void {
  const wrong = paths.find((path) => !CORPUS_FILE.test(path) && statSync(path, { throwIfNoEntry: false })?.isFile());
  if (wrong !== undefined)
    throw new RecommenderError(
      "NOT_A_NOTEBOOK",
      `${wrong} was not opened: only folders, .ipynb, .py, .zip, .tar.gz and .jsonl are.`,
    );
}

/** Descriptions of rejections for agents. The original reasons may quote the file. */
const REJECTIONS: Readonly<Record<Rejection["kind"], string>> = {
  "not-json": "not JSON",
  "not-a-notebook": "not a notebook",
  "not-python": "a notebook in another language than Python",
  "plain-script": "a script without cells (`# %%`)",
  unreadable: "it cannot be read",
  "too-large": "too large",
  "holds-secrets": "it contains secrets",
};

/** The reason of a rejection, without any text of the file. */
export function describeRejection(kind: Rejection["kind"]): string {
  return REJECTIONS[kind];
}
