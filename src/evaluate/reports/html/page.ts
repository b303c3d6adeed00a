import type { ResultDocument } from "../../result.js";
import { tablesOf } from "../table.js";
import { STYLE } from "./style.js";
import { escapeHtml } from "./text.js";

/** Rows of the manifest that stand on the page; the rest (a hash per seed) folds away. */
const SHOWN_ROWS = 60;

export function openPage(title: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><link rel="icon" href="data:,"><style>${STYLE}</style></head><body>
`;
}

export const closePage = (): string => "</body></html>\n";

/** Figures count from 1, in the order they are made. */
export function createFigures(): (body: string, title: string, caption: string) => string {
  let number = 0;
  return (body, title, caption) => {
    number += 1;
    return `<figure id="figure-${number}">${body}<figcaption><b>Figure ${number}. ${escapeHtml(title)}.</b> ${escapeHtml(caption)}</figcaption></figure>\n`;
  };
}

/** Versions, settings and hashes: what it takes to repeat the run. */
export function manifestSection(document: ResultDocument): string {
  const rows = [...tablesOf(document).at(-1)!.rows()];
  const shown = rows.filter(([name]) => !/^(latency|problem|sha256 of seed)/.test(String(name)));
  const hashes = rows.filter(([name]) => String(name).startsWith("sha256 of seed"));
  const more = [...shown.slice(SHOWN_ROWS), ...hashes];
  return `<section id="manifest"><h2>How to repeat it</h2>${facts(shown.slice(0, SHOWN_ROWS))}${
    more.length === 0
      ? ""
      : `<details class="more"><summary>${more.length} hashes of seeds</summary>${facts(more)}</details>`
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
  droppedDistractors: "distractors dropped, being equal to a seed or a mutant",
};

/** What went wrong, where anything did. */
export function problemsSection(document: ResultDocument): string {
  const counts = [...tablesOf(document).at(-1)!.rows()]
    .filter(([name, value]) => String(name).startsWith("problem ") && typeof value === "number" && value > 0)
    .map(([name, value]) => [explain(String(name).replace("problem ", "")), value!]);
  const leftOut = document.suite === "celrec" ? document.problems.seeds : [];
  const rows = [...counts, ...leftOut.map(({ seed, reason }) => [`seed left out: ${seed}`, reason])];
  const body =
    rows.length === 0
      ? `<p>Nothing: every ${document.suite === "labels" ? "label of the truth is known" : "query got its answer"}.</p>`
      : facts(rows);
  return `<section id="problems"><h2>What went wrong on the way</h2>${body}</section>\n`;
}

function explain(problem: string): string {
  const [kind, ...operator] = problem.split(" ");
  if (kind === "unchanged") return `seeds that ${operator.join(" ")} did not change`;
  if (kind === "unknownLabels") return `cells of the label ${operator.join(" ")}, which the labeller does not know`;
  if (kind === "failed") return `seeds that ${operator.join(" ")} failed on`;
  return PROBLEMS[problem] ?? problem;
}

export function facts(rows: readonly (readonly (string | number | null)[])[]): string {
  const lines = rows.map(
    ([name, value]) =>
      `<tr><th scope="row">${escapeHtml(String(name))}</th><td>${escapeHtml(String(value ?? ""))}</td></tr>`,
  );
  return `<table class="facts"><tbody>${lines.join("")}</tbody></table>`;
}
