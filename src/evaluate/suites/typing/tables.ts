import type { Figures } from "../../document.js";
import { markLower } from "../../metrics/index.js";
import { manifestTable } from "../../reports/manifest-table.js";
import { ownName } from "../../reports/own-name.js";
import type { Table, Value } from "../../reports/table.js";
import { confidenceTables } from "./confidence-tables.js";
import type { TypingFigures, TypingResult } from "./document.js";
import { caseValues, typingMetrics } from "./score.js";

/** The recommender and the baselines, each with the figures over all cases and over those that are no copies. */
export function typingSystems(
  document: TypingResult,
): { name: string; all: TypingFigures; withoutCopies: TypingFigures }[] {
  const { metrics, ci95, withoutCopies, baselines } = document;
  return [
    { name: ownName(document), all: { ...metrics, ci95 }, withoutCopies },
    ...Object.entries(baselines).map(([name, { withoutCopies: fewer, ...all }]) => ({
      name: `baseline: ${name}`,
      all,
      withoutCopies: fewer,
    })),
  ];
}

export function typingTables(document: TypingResult): Table[] {
  const names = typingMetrics(document.k).map(({ name }) => name);
  return [
    {
      name: "summary",
      columns: [
        "system",
        ...names.flatMap((metric) => [markLower(metric), `${metric} low`, `${metric} high`]),
        markLower("ece"),
      ],
      rows: () =>
        typingSystems(document).flatMap(({ name, all, withoutCopies }, at) => {
          // The first is the recommender; baselines give no confidence.
          const confidence = at === 0 ? document.confidence : null;
          return [
            [name, ...figures(names, all), confidence?.ece ?? null],
            [`${name}, without copies`, ...figures(names, withoutCopies), confidence?.withoutCopies?.ece ?? null],
          ];
        }),
    },
    ...confidenceTables(document),
    {
      name: "per case",
      columns: ["case", "notebook", "copy", ...names, "results", "confidences", "useful"],
      rows: () =>
        document.cases.map((each) => [
          each.id,
          each.notebook,
          each.copy ? "yes" : "no",
          ...caseValues(each),
          each.results.join(" "),
          each.confidences.map((confidence) => confidence?.toFixed(4) ?? "-").join(" "),
          each.useful?.map((isUseful) => (isUseful ? "yes" : "no")).join(" ") ?? null,
        ]),
    },
    manifestTable(document),
  ];
}

const figures = (names: readonly string[], of: TypingFigures): Value[] =>
  names.flatMap((metric) => [
    (of as unknown as Figures)[metric] ?? null,
    of.ci95[metric]?.[0] ?? null,
    of.ci95[metric]?.[1] ?? null,
  ]);
