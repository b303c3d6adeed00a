import { type MeasuredSystem, type SystemMetric, systemFigure, systemTable } from "../../reports/describe-systems.js";
import type { Section } from "../../reports/description.js";
import { showCount } from "../../reports/html/format.js";
import type { ThemistoResult } from "./document.js";

const TITLES: Readonly<Record<string, string>> = { em: "exact match", "rouge-l": "ROUGE-L", chrf: "chrF" };

/** The second task: what a step prints, guessed without asking the target. */
export function outputSection({ cases, nearest, withVariables, published }: ThemistoResult["output"]): Section {
  const systems: MeasuredSystem[] = [
    { name: "nearest", all: nearest, withoutCopies: null },
    { name: "with variables", all: withVariables, withoutCopies: null },
  ];
  const metrics = Object.keys(nearest.metrics).map((name): SystemMetric => ({ name, better: "higher" }));
  return {
    id: "outputs",
    title: "What it prints",
    note: `The outputs of ${showCount(cases, "step")}, guessed from that of the most similar earlier one.`,
    blocks: [
      ...metrics.map(({ name }) =>
        systemFigure(systems, name, {
          title: `Outputs, ${TITLES[name] ?? name}`,
          caption: "No recommender is asked.",
          published,
          valueName: "value",
        }),
      ),
      { ...systemTable(systems, metrics, { published }), name: "outputs" },
    ],
  };
}
