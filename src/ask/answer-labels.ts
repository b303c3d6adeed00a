import { RecommenderError } from "../errors.js";
import { labelNotebook } from "../label/label-notebook.js";
import type { Labeller } from "../label/labeller.js";
import { extractCells, normalizeSource } from "../notebook/extract.js";
import { readNotebook } from "../notebook/parse-notebook.js";
import { strip } from "../python/strip.js";
import { createTurns } from "../threads/turns.js";
import type { LabelAnswer, LabelledCell } from "./answers.js";
import { checkCellCount, checkCode, checkLabelled } from "./limits.js";
import type { LabelRequest } from "./requests.js";

interface CellsToLabel {
  readonly cells: readonly { readonly index: number; readonly code: string }[];
  /** Whether the cells follow each other: then the labels of functions carry over to the cells that call them. */
  readonly isNotebook: boolean;
  /** Whether the cells are still being typed. */
  readonly partial: boolean;
}

/** Labels any number of cells, yielding to other work in between. */
export async function labelCells(
  labeller: Labeller,
  { cells, isNotebook, partial }: CellsToLabel,
  signal?: AbortSignal,
): Promise<LabelledCell[]> {
  for (const { index, code } of cells) checkCode(code, cells.length === 1 ? "The code" : `Cell ${index}`);
  const codes = mapLazily(cells, ({ code }) => strip(normalizeSource(code)).text);
  const labellings = isNotebook && !partial ? labelNotebook(labeller, codes) : labelEach(labeller, codes, partial);
  const labelled: LabelledCell[] = [];
  const turn = createTurns();
  for (const { primary, labels, probabilities } of labellings) {
    labelled.push({ index: cells[labelled.length]!.index, primary, labels, probabilities });
    await turn();
    signal?.throwIfAborted();
  }
  return labelled;
}

/** The labels of one cell, or of each code cell of a notebook. */
export async function answerLabels(
  labeller: Labeller,
  request: LabelRequest,
  signal?: AbortSignal,
): Promise<LabelAnswer> {
  if ("code" in request) {
    const cells = [{ index: 0, code: request.code }];
    const [{ index: _, ...labelled }] = (await labelCells(
      labeller,
      { cells, isNotebook: false, partial: request.partial },
      signal,
    )) as [LabelledCell];
    return labelled;
  }
  const parsed = readNotebook(request.notebook);
  if ("rejected" in parsed)
    throw new RecommenderError("NOT_A_NOTEBOOK", `The notebook was rejected: ${parsed.rejected.reason}`);
  checkCellCount("The notebook", parsed.notebook);
  const cells = extractCells(parsed.notebook).map(({ cellIndex, code }) => ({ index: cellIndex, code }));
  checkLabelled(cells.map(({ code }) => code));
  return { cells: await labelCells(labeller, { cells, isNotebook: true, partial: false }, signal) };
}

function* labelEach(labeller: Labeller, codes: Iterable<string>, partial: boolean) {
  for (const code of codes) yield labeller.label(code, partial ? "prefix" : "cell");
}

/** Lazy, so that cleaning yields to other work, too. */
function* mapLazily<T, U>(values: readonly T[], change: (value: T) => U): Generator<U> {
  for (const value of values) yield change(value);
}
