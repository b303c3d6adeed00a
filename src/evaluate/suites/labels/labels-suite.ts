import type { Labeller } from "../../../label/labeller.js";
import { REPORTS } from "../../reports/index.js";
import { hashOf } from "../../runner/inputs.js";
import type { PlainSuite, Prepared } from "../../suite.js";
import { describeLabels } from "./labels-report.js";
import { type LabelsResult, labelsResultSchema } from "./labels-result.js";
import { runLabels } from "./labels-run.js";
import { labelMetrics, pairLabelled } from "./labels-score.js";
import { readLabelTruth, type TrueCell } from "./mistakes.js";

export interface LabelsOptions {
  readonly truth: string;
  readonly partial?: boolean;
}

export interface LabelsCases extends Prepared {
  readonly cells: readonly TrueCell[];
  readonly labeller: Labeller;
  readonly partial: boolean;
  readonly origin: { readonly truth: string };
}

/** Compares the labels of cells with those given by people. */
export const labelsSuite: PlainSuite<LabelsOptions, LabelsCases, LabelsResult> = {
  name: "labels",
  description: "compare the labels of cells with labels given by people",
  options: [
    {
      flags: "--truth <file>",
      description: 'JSON lines of {source, label: [...], notebook?, cell_index?}; ["None"] is none',
      value: "text",
      required: true,
    },
    { flags: "--partial", description: "also label every line prefix of cells with three or more lines" },
  ],
  asks: null,
  configured: ["labels"],
  reports: REPORTS,
  schema: labelsResultSchema,
  metrics: ({ partial = false }) => labelMetrics({ partial }),
  async cases({ truth, partial = false }, deps) {
    const cells = readLabelTruth(truth);
    const labeller = await deps.labeller();
    const settings = { labeller: labeller.id, partial };
    return { cells, labeller, partial, origin: { truth }, inputs: { truth: hashOf(cells) }, settings };
  },
  run({ cells, labeller, partial, origin }, bench) {
    return runLabels({ ...bench, cells, labeller, partial, config: { ...origin, ...bench.manifest.settings } });
  },
  figures: ({ metrics }) => metrics,
  texts: () => ({ query: () => undefined, cell: () => undefined }),
  describe: describeLabels,
  pair: pairLabelled,
};
