import { TEXT_METRICS } from "../../metrics/index.js";
import { manifestTable } from "../../reports/manifest-table.js";
import type { Table, Value } from "../../reports/table.js";
import { confidenceTables } from "./confidence-tables.js";
import type { TypingFigures, TypingResult } from "./document.js";

const METRICS = TEXT_METRICS.map(({ name }) => name) as (keyof TypingResult["metrics"])[];

/** The recommender and the baselines, each with the figures over all cases and over those that are no copies. */
export function typingSystems(
  document: TypingResult,
): { name: string; all: TypingFigures; withoutCopies: TypingFigures }[] {
  const { metrics, ci95, withoutCopies, baselines } = document;
  return [
    { name: "recommender", all: { ...metrics, ci95 }, withoutCopies },
    ...Object.entries(baselines).map(([name, { withoutCopies: fewer, ...all }]) => ({
      name: `baseline: ${name}`,
      all,
      withoutCopies: fewer,
    })),
  ];
}

export function typingTables(document: TypingResult): Table[] {
  return [
    {
      name: "summary",
      columns: ["system", ...METRICS.flatMap((metric) => [metric, `${metric} low`, `${metric} high`]), "ece"],
      rows: () =>
        typingSystems(document).flatMap(({ name, all, withoutCopies }, at) => {
          // The first is the recommender; baselines give no confidence.
          const confidence = at === 0 ? document.confidence : null;
          return [
            [name, ...figures(all), confidence?.ece ?? null],
            [`${name}, without copies`, ...figures(withoutCopies), confidence?.withoutCopies?.ece ?? null],
          ];
        }),
    },
    ...confidenceTables(document),
    {
      name: "per case",
      columns: ["case", "notebook", "copy", ...METRICS, "results", "confidences", "useful"],
      rows: () =>
        document.cases.map(({ id, notebook, copy, chrf, callRecall, callF1, length, results, confidences, useful }) => [
          id,
          notebook,
          copy ? "yes" : "no",
          chrf,
          callRecall,
          callF1,
          length,
          results.join(" "),
          confidences.map((confidence) => confidence?.toFixed(4) ?? "-").join(" "),
          useful?.map((isUseful) => (isUseful ? "yes" : "no")).join(" ") ?? null,
        ]),
    },
    manifestTable(document),
  ];
}

const figures = (of: TypingFigures): Value[] =>
  METRICS.flatMap((metric) => [of[metric], of.ci95[metric]?.[0] ?? null, of.ci95[metric]?.[1] ?? null]);
