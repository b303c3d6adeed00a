import { confidenceSection } from "../../reports/describe-confidence.js";
import { describeResult, type SystemFigures, targetName } from "../../reports/describe-result.js";
import { type MeasuredSystem, type SystemMetric, systemFigure, systemTable } from "../../reports/describe-systems.js";
import {
  type Example,
  figureColumn,
  type ReportDescription,
  type Section,
  type Table,
  textColumn,
} from "../../reports/description.js";
import { showCount, showNumber } from "../../reports/html/format.js";
import type { ReportTexts } from "../../reports/write-reports.js";
import type { Figures } from "../../result-document.js";
import type { TypingFigures, TypingResult } from "./typing-result.js";
import { caseValues, typingMetrics } from "./typing-score.js";

const MAX_CASES = 12;
const OPEN_CASES = 3;

const PLOTS = {
  chrf: ["chrF", "Character n-gram F-score of the best result against what was really typed next."],
  "call-recall": [
    "Call recall",
    "Share of the calls typed next that are in the best result; cases without any are left out.",
  ],
  "call-f1": ["Call F1", "F1 of the call recall and the share of the result's calls that are in the real cell."],
  "chrf-adapted": ["chrF in the user's names", "chrF of the cell with its names replaced by the user's own."],
  "insert-chrf": [
    "chrF of the insertion",
    "chrF of what would be inserted after the cursor, in the user's names; a target that gives no insertion is scored by its code.",
  ],
  "first-line": [
    "First line",
    "Share of the cases where the first line of an insertion is the line that was typed next.",
  ],
  "undefined-names": ["Undefined names (lower is better)", "Share of the insertions that use an undefined name."],
  length: [
    "Length (lower is better)",
    "Mean length of the results in characters: long cells get a high recall without being better.",
  ],
} as const;

const ECE: SystemMetric = { name: "ece", better: "lower" };

export function describeTyping(document: TypingResult, texts: ReportTexts): ReportDescription {
  const { counts, k, metrics, ci95 } = document;
  const names = typingMetrics(k);
  const betterOf = new Map(names.map(({ name, better }) => [name, better]));
  return describeResult(document, {
    title: "Completing half-typed cells",
    lead: `${showCount(counts.cases, "case")} from ${showCount(counts.notebooks, "notebook")}, ${showCount(k, "result")} each, out of ${showCount(counts.indexedCells, "cell")} of other notebooks; ${showCount(counts.copies, "cell is", "cells are")} in the index too, ${showCount(counts.withoutCalls, "case has", "cases have")} no call left to type.`,
    headline: Object.entries(metrics).map(([name, value]) => ({
      name: betterOf.get(name) === "lower" ? `${name} (lower is better)` : name,
      value: value ?? null,
      interval: ci95[name],
    })),
    sections: [
      ...systemSections(document, names),
      ...confidenceSection(confidenceGroups(document), {
        share: "shareUseful",
        outcome: "useful",
        unit: "cases",
        reliabilityCaption:
          "The share of the hits that are useful (call F1 of at least .5) over their mean confidence, in ten bins; the number is the count of hits in a bin. On the diagonal a confidence of .4 is useful in 40 %.",
        cutoffCaption:
          "Share useful: of the hits shown. Answered: cases that show any hit. Helped: cases that show a useful one. Only hits of this run are left out; a request with minConfidence fills its list up with later ones.",
      }),
      {
        id: "worst",
        title: "The weakest cases",
        note: "Cases with the lowest call F1 first, then by chrF.",
        blocks: [
          { kind: "examples", open: OPEN_CASES, list: () => worstCases(document, texts) },
          caseTable(document, names),
        ],
      },
    ],
  });
}

/** The summary, and one plot per metric. Copies are cases whose cell is in the index with the same cleaned text. */
function systemSections(document: TypingResult, names: readonly SystemMetric[]): Section[] {
  const systems = systemsOf(document);
  // The calibration error is only shown if the target gives confidences.
  const summary = systemTable(systems, document.confidence === null ? names : [...names, ECE], {
    terminal: { layout: "columns" },
  });
  return Object.entries(PLOTS).map(([metric, [title, caption]], at) => ({
    id: metric,
    title,
    blocks: [
      systemFigure(systems, metric, {
        title,
        caption,
        fitsAxis: true,
        second: ({ withoutCopies }) => withoutCopies && { note: "without copies", figures: withoutCopies, metric },
      }),
      ...(at === 0 ? [summary] : []),
    ],
  }));
}

/** The target and the baselines; baselines have no confidence. */
function systemsOf(document: TypingResult): MeasuredSystem[] {
  const { metrics, ci95, withoutCopies, baselines, confidence, counts } = document;
  const fewer = (figures: TypingFigures, ece: number | null) =>
    counts.copies === 0 ? null : systemFigures(figures, ece);
  return [
    {
      name: targetName(document),
      all: systemFigures({ ...metrics, ci95 }, confidence?.ece ?? null),
      withoutCopies: fewer(withoutCopies, confidence?.withoutCopies?.ece ?? null),
    },
    ...Object.entries(baselines).map(([name, { withoutCopies: others, ...all }]) => ({
      name: `baseline: ${name}`,
      all: systemFigures(all, null),
      withoutCopies: fewer(others, null),
    })),
  ];
}

function systemFigures({ ci95, ...metrics }: TypingFigures, ece: number | null): SystemFigures {
  return { metrics: { ...(metrics as Figures), ece }, ci95 };
}

function confidenceGroups({ confidence, counts }: TypingResult) {
  if (confidence === null) return [];
  const { withoutCopies, ...all } = confidence;
  const groups = [{ name: "all cases", figures: all }];
  if (counts.copies > 0 && withoutCopies !== null) groups.push({ name: "without copies", figures: withoutCopies });
  return groups;
}

function caseTable({ cases }: TypingResult, names: readonly SystemMetric[]): Table {
  return {
    kind: "table",
    name: "per case",
    isLong: true,
    columns: [
      ...["case", "notebook", "copy"].map(textColumn),
      ...names.map(({ name }) => figureColumn(name)),
      ...["results", "confidences", "useful"].map(textColumn),
    ],
    rows: () =>
      cases.map((each) => [
        each.id,
        each.notebook,
        each.copy ? "yes" : "no",
        ...caseValues(each),
        each.results.join(" "),
        each.confidences.map((confidence) => confidence?.toFixed(4) ?? "-").join(" "),
        each.useful?.map((isUseful) => (isUseful ? "yes" : "no")).join(" ") ?? null,
      ]),
  };
}

function worstCases({ cases }: TypingResult, texts: ReportTexts): Example[] {
  return cases
    .filter(({ callF1 }) => callF1 !== null)
    .sort((a, b) => a.callF1! - b.callF1! || a.chrf - b.chrf || (a.id < b.id ? -1 : 1))
    .slice(0, MAX_CASES)
    .map(({ id, chrf, callF1, results, confidences }) => ({
      name: id,
      about: `call-f1 ${showNumber(callF1)}, chrf ${showNumber(chrf)}`,
      sides: [
        { title: "Typed so far", texts: [{ code: texts.query(id) }] },
        { title: "Typed next", texts: [{ code: texts.expected?.(id) }] },
        {
          title: "Returned",
          texts: results.map((cell, at) => ({
            about: `result ${at + 1}${confidences[at] == null ? "" : `, confidence ${showNumber(confidences[at])}`}`,
            code: texts.cell(cell),
          })),
        },
      ],
    }));
}
