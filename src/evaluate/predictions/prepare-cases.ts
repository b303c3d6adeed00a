import { RecommenderError } from "../../errors.js";
import type { NamedNotebook } from "../../ingest/ingest.js";
import { extractCells } from "../../notebook/extract.js";
import { loadGrammar } from "../../python/grammar.js";
import { requireDistinctIds } from "../runner/distinct-ids.js";
import { hashOf } from "../runner/hash.js";
import type { CaseDeps } from "../suite.js";

/** Where the cases come from: a file of them, or notebooks that they are made of. */
export interface CaseOrigin {
  readonly cases?: string;
  readonly notebooks?: readonly string[];
  readonly index: readonly string[];
}

export interface CaseSource<C> {
  readonly read: (path: string) => readonly C[];
  readonly build: (notebooks: readonly NamedNotebook[]) => readonly C[];
}

/** Reads or makes the cases, and reads the notebooks to recommend from; INPUT_INVALID unless there is one source of cases. */
export async function prepareCases<C extends { readonly id: string }>(
  { cases: file, notebooks, index: paths }: CaseOrigin,
  deps: CaseDeps,
  { read, build }: CaseSource<C>,
) {
  if ((file === undefined) === (notebooks === undefined)) {
    throw invalid("Give either --cases FILE or --notebooks PATHS.");
  }
  await loadGrammar();
  const cases = file === undefined ? build(await deps.readNotebooks(notebooks!)) : read(file);
  const from = notebooks?.join(", ") ?? file!;
  if (cases.length === 0) throw invalid(`There is no case in ${from}.`);
  requireDistinctIds(cases, from);
  const index = await deps.readNotebooks(paths);
  const cells = index.flatMap(({ notebook }) => extractCells(notebook).map(({ id }) => id));
  return {
    cases,
    index,
    origin: { ...(file === undefined ? { notebooks: [...notebooks!] } : { cases: file }), index: [...paths] },
    inputs: { cases: hashOf(cases), index: hashOf(cells) },
    settings: {},
  };
}

const invalid = (message: string): RecommenderError => new RecommenderError("INPUT_INVALID", message);
