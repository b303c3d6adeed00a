import { bm25 } from "./bm25.js";
import { addedCalls, commonCalls, knownCalls, sharedCalls } from "./calls.js";
import { comments } from "./comments.js";
import { beforeBm25, beforeCosine, beforeCoverage, markdownBm25, markdownCosine, markdownCoverage } from "./context.js";
import { cosine } from "./cosine.js";
import { coverage } from "./coverage.js";
import { earlyCoverage } from "./early-coverage.js";
import type { Feature } from "./feature.js";
import { firstLine, firstShape } from "./first-line.js";
import { fixedCoverage } from "./fixed-coverage.js";
import { follows } from "./follows.js";
import { lastLine } from "./last-line.js";
import { long, longer, shorter } from "./length.js";
import { linesInOrder, sameLines } from "./lines-in-order.js";
import { pairCoverage } from "./pair-coverage.js";
import { remarks } from "./remarks.js";

/**
 * The only list. What must never be here: anything that prefers unknown words, undoes prefixes or drops mirrored
 * lines. Such features recognise the mutants of the evaluation and help nobody who types.
 */
export const FEATURES: readonly Feature[] = [
  cosine,
  bm25,
  coverage,
  fixedCoverage,
  pairCoverage,
  earlyCoverage,
  lastLine,
  remarks,
  linesInOrder,
  sameLines,
  firstLine,
  firstShape,
  longer,
  shorter,
  long,
  comments,
  knownCalls,
  addedCalls,
  sharedCalls,
  commonCalls,
  beforeCosine,
  beforeBm25,
  beforeCoverage,
  markdownCosine,
  markdownBm25,
  markdownCoverage,
  follows,
];
