import { parseInput } from "../ask/parse-input.js";
import { listRequest } from "../ask/requests.js";
import { RecommenderError } from "../errors.js";
import type { Backend } from "./backend.js";
import { DATA_NOTICE, describeOrigin, fenceCode, quoteName, showUnseen } from "./show-cells.js";
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
    uriTemplate: "celrec://cell/{id}",
    name: "cell",
    title: "An indexed cell",
    description: "The whole cell, its labels and where it occurs.",
    mimeType: "text/markdown",
  },
] as const;

const PAGE = 100;
/** Characters of a notebook in one answer; a link leads to the rest. */
const MAX_CHARACTERS = 60_000;
const SHOWN_OCCURRENCES = 10;
const ADDRESS = /^celrec:\/\/(notebook|cell)\/([0-9a-f]{64})(?:\?from=(\d{1,7}))?$/;

/** One page of the indexed notebooks. */
export async function listResources(backend: Backend, cursor: string | undefined) {
  const after = parseInput(listRequest.shape.cursor, cursor);
  const page = await backend.listNotebooks({ limit: PAGE, ...(after !== undefined && { cursor: after }) });
  return {
    resources: page.notebooks.map(({ id, source, name, cells }) => ({
      uri: `celrec://notebook/${id}`,
      name: showUnseen(name),
      description: `${cells} cells, of ${quoteName(source)}`,
      mimeType: "text/markdown",
    })),
    ...(page.cursor !== null && { nextCursor: page.cursor }),
  };
}

/** The text of a resource; NOT_FOUND if there is none. */
export async function readResource(backend: Backend, uri: string, signal: AbortSignal): Promise<string> {
  const [, kind, id, from = "0"] = ADDRESS.exec(uri) ?? [];
  if (kind === "notebook") return readNotebook(backend, id!, Number(from), signal);
  if (kind === "cell") return readCell(backend, id!, signal);
  const forms = "celrec://notebook/{id} and celrec://cell/{id} with 64 hexadecimal digits";
  throw new RecommenderError("NOT_FOUND", `There is no ${quoteName(uri)}; addresses are ${forms}.`);
}

async function readNotebook(backend: Backend, id: string, from: number, signal: AbortSignal): Promise<string> {
  const { source, name, location, cells, ...facts } = await backend.getNotebook(id, signal);
  const place = [quoteName(location ?? `${source}/${name}`), ...describeOrigin(facts)].join("; ");
  const parts = [`Notebook ${place}: ${cells.length} stored cells. ${DATA_NOTICE}`];
  let left = MAX_CHARACTERS;
  for (const { cellIndex, code, labels } of cells.filter((cell) => cell.cellIndex >= from)) {
    const part = `cell ${cellIndex}${labels.map((label, at) => `${at === 0 ? ": " : ", "}${label}`).join("")}\n${fenceCode(showUnseen(code))}`;
    left -= part.length;
    // The first cell is always included, so that every page makes progress.
    if (left < 0 && parts.length > 1) {
      parts.push(`The rest: celrec://notebook/${id}?from=${cellIndex}`);
      break;
    }
    parts.push(part);
  }
  return parts.join("\n\n");
}

async function readCell(backend: Backend, id: string, signal: AbortSignal): Promise<string> {
  const { code, labels, count, occurrences } = await backend.getCell(
    id,
    { offset: 0, limit: SHOWN_OCCURRENCES },
    signal,
  );
  const places = occurrences.map(({ notebook, cellIndex }) => {
    const { source, name, location, ...facts } = notebook;
    const what = [`${quoteName(location ?? `${source}/${name}`)} cell ${cellIndex}`, ...describeOrigin(facts)];
    return `- ${what.join("; ")}; celrec://notebook/${notebook.id}?from=${cellIndex}`;
  });
  const more = count > places.length ? [`- and ${count - places.length} more places`] : [];
  const heading = `Cell (${labels.join(", ") || "no label"}) in ${count} ${count === 1 ? "place" : "places"}. ${DATA_NOTICE}`;
  return [heading, fenceCode(showUnseen(code)), [...places, ...more].join("\n")].join("\n\n");
}
