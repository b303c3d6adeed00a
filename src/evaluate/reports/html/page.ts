import type { Latency } from "../../document.js";
import type { Table, Value } from "../table.js";
import { latencyPlot } from "./latency.js";
import { STYLE } from "./style.js";
import { escapeHtml, showNumber } from "./text.js";

/** Rows of the manifest that stand on the page; the rest folds away. */
const SHOWN_ROWS = 60;

export function openPage(title: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><link rel="icon" href="data:,"><style>${STYLE}</style></head><body>
`;
}

export const closePage = (): string => "</body></html>\n";

/** Puts a plot into a numbered frame with a title and a caption. */
export type Figure = (body: string, title: string, caption: string) => string;

/** Figures count from 1, in the order they are made. */
export function createFigures(): Figure {
  let number = 0;
  return (body, title, caption) => {
    number += 1;
    return `<figure id="figure-${number}">${body}<figcaption><b>Figure ${number}. ${escapeHtml(title)}.</b> ${escapeHtml(caption)}</figcaption></figure>\n`;
  };
}

/** The figures at the top of a page, each with its interval. */
export function pageHeader(title: string, lead: string, keys: readonly KeyFigure[]): string {
  const items = keys.map(({ name, value, interval, show = showNumber }) => {
    const range = interval === undefined ? "" : `${show(interval[0])} – ${show(interval[1])}`;
    return `<li><span>${escapeHtml(name)}</span><b>${show(value)}</b><span>${range}</span></li>`;
  });
  return `<header><p class="kind">celrec evaluation</p><h1>${escapeHtml(title)}</h1><p class="lead">${escapeHtml(lead)}</p><ul class="keys">${items.join("")}</ul></header>\n`;
}

export interface KeyFigure {
  readonly name: string;
  readonly value: number | null | undefined;
  readonly interval?: readonly [number, number] | undefined;
  readonly show?: (value: number | null | undefined) => string;
}

export function latencySection(latency: Latency, figure: Figure, title = "Time per request"): string {
  if (Object.keys(latency).length === 0) return "";
  const caption = "The dot is the median, the thick bar reaches to the 95th and the thin one to the 99th percentile.";
  return `<section id="latency"><h2>${title}</h2>${figure(latencyPlot(latency), "Latency by stage, in milliseconds", caption)}</section>\n`;
}

/** Versions, settings and hashes: what it takes to repeat the run. `folded` are the names of rows that fold away. */
export function manifestSection(manifest: Table, folded?: { readonly rows: RegExp; readonly name: string }): string {
  const rows = [...manifest.rows()].filter(([name]) => !/^(latency|problem)/.test(String(name)));
  const isFolded = ([name]: readonly Value[]) => folded?.rows.test(String(name)) === true;
  const shown = rows.filter((row) => !isFolded(row));
  const more = [...shown.slice(SHOWN_ROWS), ...rows.filter(isFolded)];
  return `<section id="manifest"><h2>How to repeat it</h2>${facts(shown.slice(0, SHOWN_ROWS))}${
    more.length === 0
      ? ""
      : `<details class="more"><summary>${more.length} ${folded?.name ?? "more"}</summary>${facts(more)}</details>`
  }</section>\n`;
}

/** What the counts of problems mean, by their names in the document; others speak for themselves. */
const PROBLEMS: Readonly<Record<string, string>> = {
  "target timeouts": "requests that timed out",
  "target errors5xx": "requests answered with a server error (5xx)",
  "target errorsOther": "requests that failed otherwise",
  "target short": "lists shorter than asked for",
  "target duplicates": "cells returned twice in one list",
  "target junk": "answers, or parts of them, that could not be read",
};

export interface ProblemWords {
  /** What a suite calls its own problems; null for those that it does not know. */
  readonly explain?: (problem: string) => string | null;
  /** Problems that are no counts. */
  readonly more?: readonly (readonly Value[])[];
  /** What is said where there are none. */
  readonly nothing?: string;
}

/** What went wrong, where anything did. */
export function problemsSection(manifest: Table, words: ProblemWords = {}): string {
  const { explain = () => null, more = [], nothing = "Nothing: every query got its answer." } = words;
  const counts = [...manifest.rows()]
    .filter(([name, value]) => String(name).startsWith("problem ") && typeof value === "number" && value > 0)
    .map(([name, value]): Value[] => {
      const problem = String(name).replace("problem ", "");
      return [explain(problem) ?? PROBLEMS[problem] ?? problem, value!];
    });
  const rows = [...counts, ...more];
  const body = rows.length === 0 ? `<p>${nothing}</p>` : facts(rows);
  return `<section id="problems"><h2>What went wrong on the way</h2>${body}</section>\n`;
}

export function facts(rows: readonly (readonly (string | number | null)[])[]): string {
  const lines = rows.map(
    ([name, value]) =>
      `<tr><th scope="row">${escapeHtml(String(name))}</th><td>${escapeHtml(String(value ?? ""))}</td></tr>`,
  );
  return `<table class="facts"><tbody>${lines.join("")}</tbody></table>`;
}
