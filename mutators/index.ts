import type { Mutator } from "../src/evaluate/suite.js";
import addMagics from "./add-magics.js";
import aliasImports from "./alias-imports.js";
import changeQuotes from "./change-quotes.js";
import cutLines from "./cut-lines.js";
import displayVariables from "./display-variables.js";
import dropLines from "./drop-lines.js";
import duplicateReversed from "./duplicate-reversed.js";
import flipComparison from "./flip-comparison.js";
import forToWhile from "./for-to-while.js";
import insertComments from "./insert-comments.js";
import insertDeadCode from "./insert-dead-code.js";
import keywordArguments from "./keyword-arguments.js";
import mergeLines from "./merge-lines.js";
import otherAggregation from "./other-aggregation.js";
import otherChart from "./other-chart.js";
import otherColumn from "./other-column.js";
import otherEstimator from "./other-estimator.js";
import reformatCalls from "./reformat-calls.js";
import renameLocals from "./rename-locals.js";
import renameVariables from "./rename-variables.js";
import reorderLines from "./reorder-lines.js";
import reverseLines from "./reverse-lines.js";
import splitChains from "./split-chains.js";
import splitLines from "./split-lines.js";
import swapOperands from "./swap-operands.js";

/** Every operator in the order of application. Operators that need parsable code come first. */
export const mutators: readonly Mutator[] = [
  splitLines,
  reorderLines,
  aliasImports,
  keywordArguments,
  splitChains,
  forToWhile,
  swapOperands,
  changeQuotes,
  renameLocals,
  mergeLines,
  reformatCalls,
  displayVariables,
  insertDeadCode,
  addMagics,
  renameVariables,
  insertComments,
  dropLines,
  cutLines,
  duplicateReversed,
  reverseLines,
  otherAggregation,
  otherColumn,
  flipComparison,
  otherEstimator,
  otherChart,
];

/** The three operators of the paper, which are the default of `celrec eval celrec`. */
export const paperMutators: readonly Mutator[] = [renameVariables, insertComments, reverseLines];
