import type { ListedCell } from "../../recommend/fit/collect-list.js";
import type { FittedList } from "../../recommend/fit/fit-weights.js";
import { callF1 } from "../metrics/call-f1.js";
import { callRecall } from "../metrics/call-recall.js";
import { chrf } from "../metrics/chrf.js";
import type { TypingInput } from "../suites/typing/typing-cases.js";
import { prepareText } from "../text/prepare.js";

/** One half-typed cell, its candidates, and what each of them is worth to whoever typed it. */
export interface JudgedList extends FittedList {
  readonly notebook: string;
  readonly cells: readonly ListedCell[];
  readonly chrf: Float64Array;
  readonly insertChrf: Float64Array;
  /** Null where the rest has no calls. */
  readonly callF1: Float64Array | null;
}

/** What the likeness of the text, of the insertion, and recall and F1 of the calls count in the worth of a candidate. */
const WORTH = { text: 3, insert: 1, recall: 1.1, f1: 0.4 } as const;
const TOTAL = WORTH.text + WORTH.insert + WORTH.recall + WORTH.f1;

/** Holds the candidates of a case against what was really typed next. */
export function judgeList({ notebook, rest, reference }: TypingInput, cells: readonly ListedCell[]): JudgedList {
  const target = { rest: prepareText(rest), reference: prepareText(reference) };
  const codes = cells.map(({ code }) => prepareText(code));
  const texts = Float64Array.from(codes, (code) => chrf.of(code, target)!);
  const inserts = Float64Array.from(cells, ({ insert }) => chrf.of(prepareText(insert), target)!);
  const hasCalls = target.rest.calls.size > 0;
  const f1 = hasCalls ? Float64Array.from(codes, (code) => callF1.of(code, target)!) : null;
  const worth = Float64Array.from(codes, (code, at) => {
    const calls = f1 === null ? 0 : WORTH.recall * callRecall.of(code, target)! + WORTH.f1 * f1[at]!;
    return (WORTH.text * texts[at]! + WORTH.insert * inserts[at]! + calls) / TOTAL;
  });
  const rows = cells.map(({ row }) => row);
  return { notebook, cells, rows, worth, chrf: texts, insertChrf: inserts, callF1: f1 };
}
