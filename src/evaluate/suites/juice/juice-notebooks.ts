import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { z } from "zod";
import { normalizeSource } from "../../../notebook/extract.js";
import { asRecord, readJsonLines } from "../../../notebook/json-text.js";
import type { NamedNotebook, NotebookCell } from "../../../notebook/notebook.js";
import { parseNotebook } from "../../../notebook/parse-notebook.js";

/** A notebook with the metadata that JuICe's rules need. */
export interface JuiceNotebook {
  readonly name: string;
  /** Exercises and solutions are matched within one repository; by default, the folder. */
  readonly repo: string;
  readonly cells: readonly NotebookCell[];
  /** Positions of the cells that nbgrader marks as solutions. */
  readonly solutions: ReadonlySet<number>;
}

const rawSchema = z.union([
  z.object({ contents: z.string(), repo: z.string().nullish(), path: z.string().nullish() }),
  z.looseObject({ cells: z.array(z.unknown()), metadata: z.looseObject({}).nullish() }),
]);

/**
 * The notebooks of JuICe's raw files: JSON lines of `{contents, repo, path}`, or of notebooks with `metadata.repo` and
 * `metadata.path`. Other lines are counted as rejected.
 */
export function readRawNotebooks(file: string): { notebooks: JuiceNotebook[]; rejected: number } {
  const notebooks: JuiceNotebook[] = [];
  let rejected = 0;
  for (const { line, value } of readJsonLines(file, "notebooks", rawSchema)) {
    const text = "contents" in value && typeof value.contents === "string" ? value.contents : JSON.stringify(value);
    const origin = "contents" in value ? value : ((value as { metadata?: unknown }).metadata ?? {});
    const parsed = parseNotebook(text);
    if ("rejected" in parsed) {
      rejected += 1;
      continue;
    }
    const { repo, path } = asRecord(origin) ?? {};
    const name = typeof path === "string" ? path : `${basename(file)}:${line}`;
    const owner = typeof repo === "string" ? repo : "";
    notebooks.push({
      name: owner === "" ? name : `${owner}/${name}`,
      repo: owner === "" ? dirname(name) : owner,
      cells: parsed.notebook.cells,
      solutions: solutionCells(text),
    });
  }
  return { notebooks, rejected };
}

/** A notebook of a folder. Its file is read again for nbgrader's metadata. */
export function toJuiceNotebook({ name, notebook, facts }: NamedNotebook): JuiceNotebook {
  return {
    name,
    repo: dirname(name),
    cells: notebook.cells,
    solutions: facts?.location === undefined ? new Set() : solutionCells(readIfFile(facts.location)),
  };
}

function readIfFile(location: string): string {
  try {
    return readFileSync(location, "utf8");
  } catch {
    // Notebooks from a URL or an archive have no readable metadata.
    return "";
  }
}

/** `metadata.nbgrader.solution` of a cell. */
function solutionCells(text: string): ReadonlySet<number> {
  if (!text.includes('"nbgrader"')) return new Set();
  try {
    const cells = asRecord(JSON.parse(text))?.cells;
    const marks = Array.isArray(cells) ? cells : [];
    return new Set(
      marks.flatMap((cell, at) => {
        const { nbgrader } = asRecord(asRecord(cell)?.metadata) ?? {};
        return asRecord(nbgrader)?.solution === true ? [at] : [];
      }),
    );
  } catch {
    // A script is not JSON.
    return new Set();
  }
}

const SOLUTION = /solution/i;
const MIN_SHARED = 0.5;

/**
 * The exercise of a solution: a notebook of the same repository without "solution" in its name that has over half of
 * the solution's cells. Null if there is none, or if the notebook is not a solution.
 */
export function createExercises(
  notebooks: readonly JuiceNotebook[],
): (solution: JuiceNotebook) => JuiceNotebook | null {
  const byRepo = new Map<string, JuiceNotebook[]>();
  for (const each of notebooks) {
    if (SOLUTION.test(basename(each.name))) continue;
    const known = byRepo.get(each.repo);
    if (known === undefined) byRepo.set(each.repo, [each]);
    else known.push(each);
  }
  return (solution) => {
    if (!SOLUTION.test(basename(solution.name))) return null;
    const wanted = textsOf(solution);
    let best: { readonly notebook: JuiceNotebook; readonly share: number } | null = null;
    for (const notebook of byRepo.get(solution.repo) ?? []) {
      const texts = new Set(textsOf(notebook));
      const share = wanted.filter((text) => texts.has(text)).length / wanted.length;
      if (share > MIN_SHARED && share > (best?.share ?? 0)) best = { notebook, share };
    }
    return best?.notebook ?? null;
  };
}

const textsOf = ({ cells }: JuiceNotebook): string[] =>
  cells.map(({ source }) => normalizeSource(source).trim()).filter((text) => text !== "");
