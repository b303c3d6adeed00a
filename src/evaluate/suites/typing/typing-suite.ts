import { extractCells } from "../../../notebook/extract.js";
import type { NamedNotebook } from "../../../notebook/notebook.js";
import { REPORTS } from "../../reports/index.js";
import { hashOf, indexedCells, limitCases } from "../../runner/inputs.js";
import type { AskingBench, AskingSuite, Prepared } from "../../suite.js";
import { buildTyping, readTypingCases, type TypingInput } from "./typing-cases.js";
import { describeTyping } from "./typing-report.js";
import { type TypingResult, typingResultSchema } from "./typing-result.js";
import { runTyping, type TypingAnswer } from "./typing-run.js";
import { pairTyping, typingMetrics } from "./typing-score.js";

export interface TypingOptions {
  readonly cases: string;
  readonly index: readonly string[];
  readonly context: boolean;
  readonly k: number;
}

export interface TypingCases extends Prepared {
  readonly cases: readonly TypingInput[];
  readonly index: readonly NamedNotebook[];
  /** The paths of both. */
  readonly origin: { readonly cases: string; readonly index: string[] };
}

/** Does a recommended cell contain what was typed next? */
export const typingSuite: AskingSuite<TypingOptions, TypingCases, TypingResult> = {
  name: "typing",
  description: "real cells, half typed: does a recommended cell contain what was typed next?",
  options: [
    {
      flags: "--cases <file>",
      description: "JSON lines, as `celrec eval build typing` makes them",
      value: "text",
      required: true,
    },
    {
      flags: "--index <paths...>",
      description: "notebooks to recommend from; not those of the cases",
      value: "list",
      required: true,
    },
    { flags: "--no-context", description: "do not send the cells and Markdown above the cell" },
  ],
  // As a user asks: mode `auto`, with its minimum confidence.
  asks: {},
  limit: limitCases,
  reports: REPORTS,
  schema: typingResultSchema,
  builder: { description: "cases for `celrec eval typing`, at most two per notebook", build: buildTyping },
  metrics: ({ k }) => typingMetrics(k),
  async cases(options, deps) {
    const read = readTypingCases(options.cases);
    const cases = options.context ? read : read.map((each) => ({ ...each, preceding: [], markdown: "" }));
    const index = await deps.readNotebooks(options.index);
    const ids = index.flatMap(({ notebook }) => extractCells(notebook).map(({ id }) => id));
    const origin = { cases: options.cases, index: [...options.index] };
    return { cases, index, origin, inputs: { cases: hashOf(cases), index: hashOf(ids) }, settings: {} };
  },
  run({ cases, index, origin }, bench: AskingBench<TypingAnswer>) {
    return runTyping({ ...bench, cases, index, config: { ...bench.manifest.settings, ...origin } });
  },
  figures: ({ metrics }) => metrics,
  texts({ cases, index }) {
    const byId = new Map(cases.map((each) => [each.id, each]));
    const cell = indexedCells(index);
    return { query: (id) => byId.get(id)?.prefix, expected: (id) => byId.get(id)?.rest, cell };
  },
  describe: describeTyping,
  pair: pairTyping,
};
