import type { ShownCells } from "./budget.js";
import { DATA_NOTICE, fenceCode, quoteName } from "./data-text.js";
import type { ShownCell } from "./shown-cell.js";

/** Cells for a model to read: where each is from on one line, then its code between fences. */
export function renderCells(heading: string, { cells, leftOut }: ShownCells): string {
  const more = leftOut === 0 ? [] : [`${leftOut} more did not fit; ask with more \`tokens\` or a smaller \`k\`.`];
  const notice = cells.length === 0 ? [] : [DATA_NOTICE];
  return [[heading, ...notice].join(" "), ...cells.map(renderCell), ...more].join("\n\n");
}

export function countCells(count: number): string {
  return count === 1 ? "1 cell" : `${count} cells`;
}

function renderCell({ rank, id, code, lines, renamed, labels, confidence, occurrences, notebook }: ShownCell): string {
  const facts = [
    labels.join(", "),
    ...(confidence == null ? [] : [`confidence ${confidence.toFixed(2)}`]),
    ...(occurrences > 1 ? [`in ${occurrences} places`] : []),
    ...describeOrigin(notebook),
  ].filter((fact) => fact !== "");
  const names = Object.entries(renamed ?? {}).map(([from, to]) => `${from} -> ${to}`);
  const isCut = lines.shown < lines.of;
  const notes = [
    ...(names.length === 0 ? [] : [`Renamed to your names: ${names.join(", ")}.`]),
    ...(isCut
      ? [`Lines ${lines.from + 1} to ${lines.from + lines.shown} of ${lines.of}; all: celrec://cell/${id}`]
      : []),
  ];
  return [`${rank}. ${describePlace(notebook)}${facts.map((fact) => `; ${fact}`).join("")}`, ...notes, fenceCode(code)]
    .filter((line) => line !== "")
    .join("\n");
}

/** The place of a notebook that a person can open, and the cell in it. */
function describePlace({ source, name, location, cellIndex }: ShownCell["notebook"]): string {
  return `${quoteName(location ?? `${source}/${name}`)} cell ${cellIndex}`;
}

export function describeOrigin({
  author,
  licence,
  votes,
}: Partial<Pick<ShownCell["notebook"], "author" | "licence" | "votes">>): string[] {
  return [
    ...(author === undefined ? [] : [`by ${quoteName(author)}`]),
    ...(licence === undefined ? [] : [`licence ${quoteName(licence)}`]),
    ...(votes === undefined ? [] : [`${votes} votes`]),
  ];
}
