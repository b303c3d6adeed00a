import type { ConfidenceFigures } from "../statistics/calibration.js";
import { countColumn, figureColumn, type Section, type Table, type TableCell, textColumn } from "./description.js";

interface ConfidenceNames<Name extends string> {
  /** The field with the share of the hits that were right. */
  readonly share: Name;
  /** The event whose probability the confidence is: `useful`, `accepted`. */
  readonly outcome: string;
  /** The counted unit: `cases`, `answers`. */
  readonly unit: string;
  readonly reliabilityCaption: string;
  readonly cutoffCaption: string;
}

/**
 * Sections on the calibration of confidences and on the effect of every `minConfidence`, for one or more groups of
 * hits.
 */
export function confidenceSection<Name extends string>(
  groups: readonly {
    readonly name: string;
    readonly figures: Pick<ConfidenceFigures<Name>, "ece" | "bins" | "cutoffs">;
  }[],
  { share, outcome, unit, reliabilityCaption, cutoffCaption }: ConfidenceNames<Name>,
): Section[] {
  if (groups.length === 0) return [];
  const isSingle = groups.length === 1;
  const shareTitle = `share ${outcome}`;
  const rowsOf = <T>(
    list: (figures: (typeof groups)[number]["figures"]) => readonly T[],
    row: (one: T) => TableCell[],
    start: (one: T) => number,
  ) =>
    groups.flatMap(({ name, figures }) =>
      list(figures).map((one) => [`${name} from ${start(one)}`, name, ...row(one)]),
    );
  const bins: Table = {
    kind: "table",
    name: "confidence",
    columns: [
      textColumn("bin"),
      textColumn(unit),
      ...["from", "to"].map((title) => figureColumn(title)),
      countColumn("hits"),
      figureColumn("mean confidence"),
      figureColumn(shareTitle),
    ],
    rows: () =>
      rowsOf(
        (figures) => figures.bins.filter(({ hits }) => hits > 0),
        (bin) => [bin.from, bin.to, bin.hits, bin.meanConfidence, bin[share]],
        ({ from }) => from,
      ),
  };
  const cutoffs: Table = {
    kind: "table",
    name: "min confidence",
    note: cutoffCaption,
    columns: [
      textColumn("cutoff"),
      textColumn(unit),
      figureColumn("min confidence"),
      countColumn("hits"),
      figureColumn(shareTitle),
      figureColumn(`${unit} answered`),
      figureColumn(`${unit} helped`),
    ],
    rows: () =>
      rowsOf(
        (figures) => figures.cutoffs,
        (cutoff) => [cutoff.minConfidence, cutoff.hits, cutoff[share], cutoff.answered, cutoff.helped],
        ({ minConfidence }) => minConfidence,
      ),
    page: { layout: "captioned", isShown: ([, group, , hits]) => group === groups[0]!.name && hits !== 0 },
    terminal: {
      layout: "rows",
      columns: ["hits", shareTitle, `${unit} answered`, `${unit} helped`],
      isShown: ([, group, , hits]) => group === groups[0]!.name && hits !== 0,
    },
  };
  return [
    {
      id: "confidence",
      title: "Confidence",
      isPair: isSingle,
      blocks: [
        {
          kind: "figure",
          title: "Reliability",
          caption: reliabilityCaption,
          plot: () => ({
            type: "reliability",
            curves: groups.map(({ name, figures }) => ({
              name,
              ece: figures.ece,
              bins: figures.bins.map((bin) => ({
                count: bin.hits,
                probability: bin.meanConfidence,
                share: bin[share],
              })),
            })),
            unit: "hit",
            probabilityName: "confidence",
            outcome: `were ${outcome}`,
            axes: ["mean confidence", shareTitle],
          }),
        },
        bins,
        cutoffs,
      ],
    },
  ];
}
