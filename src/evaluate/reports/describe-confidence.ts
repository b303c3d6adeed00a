import { countColumn, figureColumn, type Section, type Table, type TableCell, textColumn } from "./description.js";

/** Confidences compared with what happened, as `measureConfidence` (statistics) gives them. */
export interface ConfidenceFigures {
  readonly ece: number;
  readonly bins: readonly ConfidenceBin[];
  readonly cutoffs: readonly ConfidenceCutoff[];
}

export interface ConfidenceBin {
  readonly from: number;
  readonly to: number;
  readonly hits: number;
  readonly meanConfidence: number | null;
  readonly share: number | null;
}

/** What is left when hits below a confidence are not shown. */
export interface ConfidenceCutoff {
  readonly minConfidence: number;
  readonly hits: number;
  readonly share: number | null;
  readonly answered: number;
  readonly helped: number;
}

export interface ConfidenceNames {
  /** What the confidence is the probability of: `useful`, `accepted`. */
  readonly outcome: string;
  /** What is answered and helped: `cases`, `answers`. */
  readonly unit: string;
  readonly reliabilityCaption: string;
  readonly cutoffCaption: string;
}

/** How far confidences can be trusted, and the effect of every `minConfidence`, for one or more groups of hits. */
export function confidenceSection(
  groups: readonly { readonly name: string; readonly figures: ConfidenceFigures }[],
  { outcome, unit, reliabilityCaption, cutoffCaption }: ConfidenceNames,
): Section[] {
  if (groups.length === 0) return [];
  const isSingle = groups.length === 1;
  const share = `share ${outcome}`;
  const rowsOf = <T>(
    list: (figures: ConfidenceFigures) => readonly T[],
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
      figureColumn(share),
    ],
    rows: () =>
      rowsOf(
        (figures) => figures.bins.filter(({ hits }) => hits > 0),
        ({ from, to, hits, meanConfidence, share: came }) => [from, to, hits, meanConfidence, came],
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
      figureColumn(share),
      figureColumn(`${unit} answered`),
      figureColumn(`${unit} helped`),
    ],
    rows: () =>
      rowsOf(
        (figures) => figures.cutoffs,
        ({ minConfidence, hits, share: came, answered, helped }) => [minConfidence, hits, came, answered, helped],
        ({ minConfidence }) => minConfidence,
      ),
    page: { layout: "figure", isShown: ([, group, , hits]) => group === groups[0]!.name && hits !== 0 },
    terminal: {
      layout: "rows",
      columns: ["hits", share, `${unit} answered`, `${unit} helped`],
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
              bins: figures.bins.map(({ hits, meanConfidence, share: came }) => ({
                count: hits,
                probability: meanConfidence,
                share: came,
              })),
            })),
            unit: "hit",
            probabilityName: "confidence",
            outcome: `were ${outcome}`,
            axes: ["mean confidence", share],
          }),
        },
        bins,
        cutoffs,
      ],
    },
  ];
}
