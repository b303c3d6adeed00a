import { manifestTable } from "../reports/manifest-table.js";
import { ownName } from "../reports/own-name.js";
import { publishedName } from "../reports/published.js";
import type { Table, Value } from "../reports/table.js";
import type { MeasuredSystem, PredictionResult } from "./document.js";

/** The recommender and the baselines, each with its figures over all cases and over those that are no copies. */
export function systemsOf(
  document: PredictionResult,
): { readonly name: string; readonly all: MeasuredSystem; readonly withoutCopies: MeasuredSystem }[] {
  const { metrics, ci95, withoutCopies, baselines } = document;
  const own = ownName(document);
  return [
    { name: own, all: { metrics, ci95 }, withoutCopies },
    ...Object.entries(baselines).map(([name, { withoutCopies: fewer, ...all }]) => ({
      // A suite may ask the recommender itself in another way.
      name: name.startsWith("recommender") ? name.replace("recommender", own) : `baseline: ${name}`,
      all,
      withoutCopies: fewer,
    })),
  ];
}

/** The tables of every suite of predictions. */
export function predictionTables(document: PredictionResult): Table[] {
  const names = Object.keys(document.metrics);
  const figures = ({ metrics, ci95 }: MeasuredSystem): Value[] =>
    names.flatMap((name) => [metrics[name] ?? null, ci95[name]?.[0] ?? null, ci95[name]?.[1] ?? null]);
  const notes = [...new Set(document.cases.flatMap((each) => Object.keys(each.notes ?? {})))];
  return [
    {
      name: "summary",
      columns: ["system", ...names.flatMap((name) => [name, `${name} low`, `${name} high`])],
      rows: () => [
        ...systemsOf(document).flatMap(({ name, all, withoutCopies }) => [
          [name, ...figures(all)],
          ...(document.counts.copies! > 0 ? [[`${name}, without copies`, ...figures(withoutCopies)]] : []),
        ]),
        ...(document.published ?? []).map((one) => [
          publishedName(one),
          ...names.flatMap((name) => [one.figures[name] ?? null, null, null]),
        ]),
      ],
    },
    {
      name: "per case",
      columns: ["case", "notebook", "copy", ...Object.keys(document.cases[0]?.values ?? {}), ...notes, "results"],
      rows: () =>
        document.cases.map((each) => [
          each.id,
          each.notebook,
          each.copy ? "yes" : "no",
          ...Object.keys(document.cases[0]!.values).map((name) => each.values[name] ?? null),
          ...notes.map((name) => each.notes?.[name] ?? null),
          each.results.join(" "),
        ]),
    },
    manifestTable(document),
  ];
}
