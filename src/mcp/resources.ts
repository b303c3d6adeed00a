import { parseInput } from "../ask/parse-input.js";
import { listRequest } from "../ask/requests.js";
import { RecommenderError } from "../errors.js";
import { parseAddress, resolveNotebook } from "./addresses.js";
import type { Backend } from "./backend.js";
import { cellAddress, DATA_NOTICE, describeOrigin, fenceCode, quoteName, shortId, showUnseen } from "./show-cells.js";

/** The resources that agents can read. */
export const TEMPLATES = [
  {
    uriTemplate: "celrec://notebook/{id}{?from}",
    name: "notebook",
    title: "An indexed notebook",
    description: "Its code cells with their labels, from the cell at `from` on.",
    mimeType: "text/markdown",
  },
  {
    uriTemplate: "celrec://cell/{id}/{index}",
    name: "cell",
    title: "An indexed cell",
    description: "The whole cell of a notebook, its labels and where it occurs.",
    mimeType: "text/markdown",
  },
] as const;

const PAGE = 100;
/** Characters of a notebook in one answer; an address leads to the rest. */
const MAX_CHARACTERS = 20_000;
const SHOWN_OCCURRENCES = 10;

/** One page of the indexed notebooks. */
export async function listResources(backend: Backend, cursor: string | undefined) {
  const after = parseInput(listRequest.shape.cursor, cursor);
  const page = await backend.listNotebooks({ limit: PAGE, ...(after !== undefined && { cursor: after }) });
  return {
    resources: page.notebooks.map(({ id, source, name, cells }) => ({
      uri: `celrec://notebook/${shortId(id)}`,
      name: quoteName(name),
      description: `${cells} cells, of ${quoteName(source)}`,
      mimeType: "text/markdown",
    })),
    ...(page.cursor !== null && { nextCursor: page.cursor }),
  };
}

/** The text of a notebook or a cell, by a resource's address or by a short id; NOT_FOUND if there is none. */
export async function readAddress(backend: Backend, address: string, signal: AbortSignal): Promise<string> {
  const { notebook, cell, from } = parseAddress(address);
  const id = await resolveNotebook(backend, notebook);
  return cell === undefined ? readNotebook(backend, id, from, signal) : readCell(backend, id, cell, signal);
}

async function readNotebook(backend: Backend, id: string, from: number, signal: AbortSignal): Promise<string> {
  const { cells, ...origin } = await backend.getNotebook(id, signal);
  const parts = [
    `Notebook ${shortId(id)}: ${cells.length} stored cells. ${DATA_NOTICE}\n${fenceCode(describeOrigin(origin), "text")}`,
  ];
  let left = MAX_CHARACTERS;
  for (const { cellIndex, code, labels } of cells.filter((cell) => cell.cellIndex >= from)) {
    const part = `cell ${cellIndex}${labels.map((label, at) => `${at === 0 ? ": " : ", "}${label}`).join("")}\n${fenceCode(showUnseen(code))}`;
    left -= part.length;
    // The first cell is always included, so that every page makes progress.
    if (left < 0 && parts.length > 1) {
      parts.push(`The rest: celrec://notebook/${shortId(id)}?from=${cellIndex}`);
      break;
    }
    parts.push(part);
  }
  return parts.join("\n\n");
}

async function readCell(backend: Backend, id: string, index: number, signal: AbortSignal): Promise<string> {
  const { cells } = await backend.getNotebook(id, signal);
  const stored = cells.find(({ cellIndex }) => cellIndex === index);
  if (stored === undefined)
    throw new RecommenderError(
      "NOT_FOUND",
      `Notebook ${shortId(id)} has no stored cell ${index}; its code cells are ${cells.map(({ cellIndex }) => cellIndex).join(", ") || "none"}.`,
    );
  const page = { offset: 0, limit: SHOWN_OCCURRENCES };
  const { code, labels, count, occurrences } = await backend.getCell(stored.id, page, signal);
  const places = occurrences.map(
    ({ notebook, cellIndex }) => `${cellAddress({ id: notebook.id, cellIndex })}; ${describeOrigin(notebook)}`,
  );
  const more = count > places.length ? [`and ${count - places.length} more places`] : [];
  const heading = `Cell ${shortId(id)}/${index} (${labels.join(", ") || "no label"}) in ${count} ${count === 1 ? "place" : "places"}. ${DATA_NOTICE}`;
  return [heading, fenceCode(showUnseen(code)), fenceCode([...places, ...more].join("\n"), "text")].join("\n\n");
}
