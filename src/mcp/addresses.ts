import { RecommenderError } from "../errors.js";
import type { Backend } from "./backend.js";
import { quoteName } from "./show-cells.js";

/** The address of a notebook (from a given cell on) or of one cell. */
export interface Address {
  /** The first digits of the notebook's id. */
  readonly notebook: string;
  readonly cell?: number;
  readonly from: number;
}

/** `1f3a9c0212`, `1f3a9c0212/7`, `1f3a9c0212?from=7`, with or without the scheme of a resource. */
const ADDRESS = /^(?:celrec:\/\/(?:notebook|cell)\/)?([0-9a-f]{8,64})(?:\/(\d{1,7})|\?from=(\d{1,7}))?$/;

/** NOT_FOUND for anything else. */
export function parseAddress(text: string): Address {
  const [, notebook, cell, from = "0"] = ADDRESS.exec(text) ?? [];
  if (notebook === undefined)
    throw new RecommenderError(
      "NOT_FOUND",
      `${quoteName(text)} is not an id. Take one from search_cells, such as 1f3a9c0212/7.`,
    );
  return { notebook, from: Number(from), ...(cell !== undefined && { cell: Number(cell) }) };
}

const ID_DIGITS = 64;

/** The complete id that starts with these digits. NOT_FOUND if there is none. */
export async function resolveNotebook(backend: Backend, start: string): Promise<string> {
  const { notebook } = parseAddress(start);
  if (notebook.length === ID_DIGITS) return notebook;
  const cursor = digitsBefore(notebook);
  const page = await backend.listNotebooks({ limit: 2, ...(cursor !== null && { cursor }) });
  const found = page.notebooks.filter(({ id }) => id.startsWith(notebook));
  if (found.length === 1) return found[0]!.id;
  const message =
    found.length === 0
      ? `There is no notebook ${notebook} in the index. It may have been removed; search again.`
      : `Several ids start with ${notebook}; give all ${ID_DIGITS} digits: ${found.map(({ id }) => id).join(", ")}.`;
  throw new RecommenderError(found.length === 0 ? "NOT_FOUND" : "INPUT_INVALID", message);
}

/** Notebooks are listed in the order of their ids, so those that start with the digits come right after this one. */
function digitsBefore(start: string): string | null {
  const first = BigInt(`0x${start.padEnd(ID_DIGITS, "0")}`);
  return first === 0n ? null : (first - 1n).toString(16).padStart(ID_DIGITS, "0");
}
