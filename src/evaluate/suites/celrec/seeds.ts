import { readdir, readFile, stat } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { z } from "zod";
import { RecommenderError } from "../../../errors.js";
import { normalizeSource } from "../../../notebook/extract.js";
import { parseJsonLines } from "../../../notebook/json-text.js";
import { parseNotebook } from "../../../notebook/parse-notebook.js";
import { strip } from "../../../python/strip.js";

export interface Seed {
  readonly id: string;
  readonly source: string;
}

/** An entry that cannot be used as a seed. */
export interface SeedProblem {
  readonly id: string;
  readonly reason: string;
}

/** An entry of a file, not checked yet. */
type Candidate = Seed | SeedProblem;

const line = z.object({ id: z.union([z.string().min(1), z.number()]).transform(String), source: z.string() });

/**
 * Reads seeds from a folder of `.py` files (one cell each, named by the path), an `.ipynb` (each code cell, named
 * `file.ipynb#index`), a `.jsonl` of `{id, source}`, or one `.py`. Empty, comment-only, repeated and unreadable entries
 * are reported and left out.
 */
export async function readSeeds(path: string): Promise<{ seeds: Seed[]; problems: SeedProblem[] }> {
  const candidates = await readCandidates(path);
  const problems: SeedProblem[] = [];
  const seeds: Seed[] = [];
  const ids = new Set<string>();
  const sources = new Map<string, string>();
  for (const candidate of candidates) {
    const { id } = candidate;
    const reason = "reason" in candidate ? candidate.reason : findFault(candidate, ids, sources);
    if (reason !== null) problems.push({ id, reason });
    if (reason !== null || "reason" in candidate) continue;
    ids.add(id);
    sources.set(normalizeSource(candidate.source), id);
    seeds.push(candidate);
  }
  if (seeds.length > 0) return { seeds, problems };
  const why = problems.slice(0, 5).map(({ id, reason }) => `${id}: ${reason}`);
  throw invalid(`${path} has no seeds${why.length === 0 ? "" : `; ${why.join("; ")}`}`);
}

function findFault(seed: Seed, ids: ReadonlySet<string>, sources: ReadonlyMap<string, string>): string | null {
  const { id, source } = seed;
  if (ids.has(id)) return "another seed has this id";
  if (source.trim() === "") return "empty";
  if (strip(source).text === "") return "only comments";
  const twin = sources.get(normalizeSource(source));
  return twin === undefined ? null : `the same as ${twin}`;
}

async function readCandidates(path: string): Promise<Candidate[]> {
  const found = await stat(path).catch((cause: unknown) => {
    throw invalid(`There are no seeds at ${path}; give a folder of .py files, an .ipynb or a .jsonl`, cause);
  });
  if (found.isDirectory()) return readFolder(path);
  const text = await readText(path);
  switch (extname(path).toLowerCase()) {
    case ".py":
      return [{ id: basename(path), source: text }];
    case ".ipynb":
      return readNotebookSeeds(path, text);
    case ".jsonl":
      return readLines(path, text);
    default:
      throw invalid(`${path} cannot be read as seeds; give a folder of .py files, an .ipynb or a .jsonl`);
  }
}

async function readFolder(folder: string): Promise<Candidate[]> {
  const files = await readdir(folder, { recursive: true });
  // Sorted by code unit, which gives the same order on every machine.
  const ids = files.map((file) => file.replaceAll("\\", "/")).filter((file) => file.endsWith(".py"));
  const candidates: Candidate[] = [];
  for (const id of ids.sort()) {
    const source = await readText(join(folder, id)).catch((error: Error) => error);
    candidates.push(typeof source === "string" ? { id, source } : { id, reason: `cannot be read: ${source.message}` });
  }
  return candidates;
}

function readNotebookSeeds(path: string, text: string): Candidate[] {
  const parsed = parseNotebook(text);
  if ("rejected" in parsed) throw invalid(`${path} is not a notebook: ${parsed.rejected.reason}`);
  return parsed.notebook.cells
    .filter(({ type }) => type === "code")
    .map(({ index, source }) => ({ id: `${basename(path)}#${index}`, source }));
}

function readLines(path: string, text: string): Candidate[] {
  return Array.from(parseJsonLines(text), (each): Candidate => {
    const parsed = line.safeParse("fault" in each ? undefined : each.value);
    return parsed.success ? parsed.data : { id: `${basename(path)}:${each.line}`, reason: "no {id, source}" };
  });
}

async function readText(path: string): Promise<string> {
  const text = await readFile(path, "utf8");
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function invalid(message: string, cause?: unknown): RecommenderError {
  return new RecommenderError("INPUT_INVALID", message, { cause });
}
