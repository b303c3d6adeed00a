import { extractCells } from "../../../notebook/extract.js";
import type { NamedNotebook } from "../../../notebook/notebook.js";
import { REPORTS } from "../../reports/index.js";
import { hashOf, limitCases } from "../../runner/inputs.js";
import { clusterValues } from "../../statistics/bootstrap.js";
import { type Pairing, pairClusters, requireSame } from "../../statistics/permutation.js";
import type { AskingBench, AskingSuite, CaseDeps, Prepared } from "../../suite.js";
import { type Jedi, openJedi } from "./cursor-baselines.js";
import { buildCursor, type CursorCase, readCursorCases } from "./cursor-cases.js";
import { betterOf, caseValues, cursorMetrics } from "./cursor-figures.js";
import { describeCursor } from "./cursor-report.js";
import { type CursorResult, cursorResultSchema } from "./cursor-result.js";
import { type CursorAnswer, runCursor } from "./cursor-run.js";

export interface CursorOptions {
  readonly cases: string;
  readonly index?: readonly string[];
  readonly context: boolean;
  readonly withSuffix?: true;
  readonly typist: number;
  readonly python: string;
  readonly jedi: boolean;
  readonly k: number;
}

export interface CursorCases extends Prepared {
  readonly cases: readonly CursorCase[];
  readonly index: readonly NamedNotebook[];
  readonly options: Pick<CursorOptions, "withSuffix" | "typist">;
  readonly jedi: Jedi | null;
  /** Paths of the cases and of the index. */
  readonly origin: { readonly cases: string; readonly index: string[] };
}

const TYPIST_CELLS = 100;

/** Measures whether the text at the cursor is completed as in the real notebook. */
export const cursorSuite: AskingSuite<CursorOptions, CursorCases, CursorResult> = {
  name: "cursor",
  description: "complete real lines at a cursor, and count the keystrokes saved",
  options: [
    {
      flags: "--cases <file>",
      description: "JSON Lines file from `celrec eval build cursor`",
      value: "text",
      required: true,
    },
    {
      flags: "--index <paths...>",
      description: "notebooks to learn from, which must not be those of the cases; none for an empty index",
      value: "list",
    },
    { flags: "--with-suffix", description: "also send the text after the cursor" },
    { flags: "--no-context", description: "do not send the cells above" },
    {
      flags: "--typist <cells>",
      description:
        "number of cells that a simulated typist types completely, with a request after every token; 0 for none",
      value: { min: 0, max: 100_000 },
      fallback: TYPIST_CELLS,
    },
    {
      flags: "--python <program>",
      description: "Python interpreter with jedi, for the baseline",
      value: "text",
      fallback: "python3",
    },
    { flags: "--no-jedi", description: "leave out the baseline jedi" },
  ],
  asks: { mode: "complete" },
  limit: limitCases,
  reports: REPORTS,
  schema: cursorResultSchema,
  builder: {
    description: "cases for `celrec eval cursor`: two per code cell",
    options: [
      {
        flags: "--per-notebook <cells>",
        description: "maximum number of cells per notebook, evenly spread",
        value: { min: 1, max: 100_000 },
      },
    ],
    build: (notebooks, { options }) =>
      buildCursor(notebooks, (options as { readonly perNotebook?: number }).perNotebook),
  },
  metrics: ({ k }) => cursorMetrics(k),
  async cases(options, deps) {
    const read = readCursorCases(options.cases);
    const cases = options.context ? read : read.map((each) => ({ ...each, preceding: [], markdown: "" }));
    const paths = options.index ?? [];
    const index = paths.length === 0 ? [] : await deps.readNotebooks(paths);
    const ids = index.flatMap(({ notebook }) => extractCells(notebook).map(({ id }) => id));
    const jedi = options.jedi ? await findJedi(options.python, deps) : null;
    return {
      cases,
      index,
      options,
      jedi,
      origin: { cases: options.cases, index: [...paths] },
      inputs: { cases: hashOf(cases), index: hashOf(ids) },
      settings: {
        withSuffix: options.withSuffix === true,
        typist: options.typist,
        jedi: jedi?.version ?? null,
      },
    };
  },
  async run({ cases, index, options, jedi, origin }, bench: AskingBench<CursorAnswer>) {
    try {
      return await runCursor({
        ...bench,
        cases,
        index,
        jedi,
        withSuffix: options.withSuffix === true,
        typistCells: options.typist,
        config: { ...bench.manifest.settings, ...origin },
      });
    } finally {
      await jedi?.close();
    }
  },
  figures: ({ metrics }) => metrics,
  texts({ cases }) {
    const byId = new Map(cases.map((each) => [each.id, each]));
    return { query: (id) => byId.get(id)?.prefix, expected: (id) => byId.get(id)?.rest, cell: () => undefined };
  },
  describe: describeCursor,
  pair: pairCursor,
};

/** Opens the baseline jedi. If this Python does not have it, prints a note, and the baseline is skipped. */
async function findJedi(python: string, { env, note }: CaseDeps): Promise<Jedi | null> {
  try {
    return await openJedi(python, env.PATH);
  } catch (error) {
    note(`The baseline jedi is left out: ${(error as Error).message}`);
    return null;
  }
}

/**
 * Pairs the notebooks of two runs over the same cases. Figures that are not means over cases (`ece`, `saved`) are not
 * compared.
 */
function pairCursor(a: CursorResult, b: CursorResult): Pairing {
  requireSame("cases", a.cases, b.cases, ({ id }) => id);
  const clusters = ({ cases, k }: CursorResult) =>
    clusterValues(cases.map((each) => ({ id: each.notebook, values: caseValues(each, k) })));
  const metrics = cursorMetrics(a.k)
    .map(({ name }) => name)
    .filter((name) => name !== "ece" && name !== "saved");
  return {
    unit: "notebook",
    metrics,
    decisive: metrics[0],
    units: pairClusters(clusters(a), clusters(b)),
    better: betterOf,
  };
}
