import { TEXT_METRICS } from "../metrics/index.js";
import type { TypingFigures, TypingResult } from "../results/typing.js";
import type { Table, Value } from "./table.js";

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
      columns: ["system", ...METRICS.flatMap((metric) => [metric, `${metric} low`, `${metric} high`])],
      rows: () =>
        typingSystems(document).flatMap(({ name, all, withoutCopies }) => [
          [name, ...figures(all)],
          [`${name}, without copies`, ...figures(withoutCopies)],
        ]),
    },
    {
      name: "per case",
      columns: ["case", "notebook", "copy", ...METRICS, "results"],
      rows: () =>
        document.cases.map(({ id, notebook, copy, chrf, callRecall, callF1, length, results }) => [
          id,
          notebook,
          copy ? "yes" : "no",
          chrf,
          callRecall,
          callF1,
          length,
          results.join(" "),
        ]),
    },
  ];
}

const figures = (of: TypingFigures): Value[] =>
  METRICS.flatMap((metric) => [of[metric], of.ci95[metric]?.[0] ?? null, of.ci95[metric]?.[1] ?? null]);
