import { intervalLegend, intervalPlot } from "../../reports/html/interval-plot.js";
import type { Figure } from "../../reports/html/page.js";
import { showCount } from "../../reports/html/text.js";
import { publishedName } from "../../reports/published.js";
import type { ThemistoResult } from "./document.js";

const TITLES: Readonly<Record<string, string>> = { em: "exact match", "rouge-l": "ROUGE-L", chrf: "chrF" };

/** The second task on the page: what a step prints. */
export function* outputSection({ output }: ThemistoResult, figure: Figure): Generator<string> {
  if (output.cases === 0) return;
  const { nearest, withVariables, published } = output;
  const lead = `The outputs of ${showCount(output.cases, "step")}, guessed from that of the most similar earlier one.`;
  yield `<section id="outputs"><h2>What it prints</h2><p>${lead}</p>`;
  for (const metric of Object.keys(nearest.metrics)) {
    const rows = [
      { name: "nearest", value: nearest.metrics[metric] ?? null, interval: nearest.ci95[metric] },
      { name: "with variables", value: withVariables.metrics[metric] ?? null, interval: withVariables.ci95[metric] },
      ...published.map((one) => ({
        name: publishedName(one),
        value: one.figures[metric] ?? null,
        look: "quiet" as const,
      })),
    ];
    const plot = intervalPlot(rows, { value: "value" }) + intervalLegend({ ceiling: false, value: "value" });
    yield figure(
      plot,
      `Outputs, ${TITLES[metric] ?? metric}`,
      "No recommender is asked. Intervals from drawing notebooks.",
    );
  }
  yield "</section>\n";
}
