import { manifestTable } from "../../reports/manifest-table.js";
import { NO_LABEL, type Table } from "../../reports/table.js";
import type { LabelsResult } from "./document.js";
import { RATIO_NAMES } from "./metrics.js";

export function labelsTables(document: LabelsResult): Table[] {
  const { metrics, ci95, byLabel, confusion, partial, worst, cells } = document;
  return [
    {
      name: "summary",
      columns: ["metric", "value", "low", "high"],
      rows: () => Object.entries(metrics).map(([metric, value]) => [metric, value, ...(ci95[metric] ?? [null, null])]),
    },
    {
      name: "per label",
      columns: ["label", "cells", "given", ...RATIO_NAMES.flatMap((one) => [one, `${one} low`, `${one} high`]), "ece"],
      rows: () =>
        byLabel.map((row) => [
          row.label,
          row.cells,
          row.given,
          ...RATIO_NAMES.flatMap((ratio) => [row[ratio], ...(row.ci95[ratio] ?? [null, null])]),
          row.ece,
        ]),
    },
    {
      name: "calibration",
      columns: ["bin", "label", "from", "cells", "mean probability", "share true"],
      rows: () =>
        byLabel.flatMap(({ label, calibration }) =>
          calibration
            .filter((bin) => bin.cells > 0)
            .map(({ from, cells: count, probability, share }) => [
              `${label} from ${from}`,
              label,
              from,
              count,
              probability,
              share,
            ]),
        ),
    },
    {
      name: "given instead",
      columns: ["pair", "missed", "given", "cells"],
      rows: () =>
        confusion.instead.map(({ missed, given, cells: count }) => [
          `${given ?? "nothing"} for ${missed ?? "nothing"}`,
          missed,
          given,
          count,
        ]),
    },
    {
      name: "missed beside",
      columns: ["pair", "missed", "right", "cells"],
      rows: () =>
        confusion.beside.map(({ missed, right, cells: count }) => [`${right} without ${missed}`, missed, right, count]),
    },
    ...(partial === undefined ? [] : prefixTables(partial)),
    {
      name: "worst cells",
      columns: ["cell", "mistake", "label", "probability", "truth", "given", "code"],
      rows: () =>
        worst.map(({ id, mistake, label, probability, truth, given, code }) => [
          id,
          mistake,
          label,
          probability,
          showSet(truth),
          showSet(given),
          code,
        ]),
    },
    {
      name: "per cell",
      columns: ["cell", "notebook", "truth", "given", "prefixes", "prefixes met"],
      rows: () =>
        cells.map(({ id, notebook, truth, given, partial: prefixes }) => [
          id,
          notebook,
          showSet(truth),
          showSet(given),
          prefixes?.prefixes ?? null,
          prefixes?.met ?? null,
        ]),
    },
    manifestTable(document),
  ];
}

/** A set of labels in one field. */
export const showSet = (labels: readonly string[]): string => labels.join(", ") || NO_LABEL;

function prefixTables({ byLines, byLabel }: NonNullable<LabelsResult["partial"]>): Table[] {
  const columns = ["prefixes", "met", "kept"];
  return [
    {
      name: "prefixes by lines",
      columns: ["lines", ...columns],
      rows: () => byLines.map(({ lines, prefixes, met, kept }) => [lines, prefixes, met, kept]),
    },
    {
      name: "prefixes by label",
      columns: ["label", ...columns],
      rows: () => byLabel.map(({ label, prefixes, met, kept }) => [label, prefixes, met, kept]),
    },
  ];
}
