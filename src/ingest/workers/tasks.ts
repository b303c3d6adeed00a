import type { Embedder } from "../../embed/embedder.js";
import type { Labeller } from "../../label/labeller.js";
import type { Content } from "../../notebook/corpus/entry.js";
import type { Cell } from "../../notebook/extract.js";
import { type Format, parseBytes } from "../../notebook/formats.js";
import type { ParsedNotebook } from "../../notebook/notebook.js";
import type { StoredCell } from "../../store/vector-store.js";
import type { Handlers } from "../../threads/protocol.js";
import { createMakeCells, type Made, prepareCell, type SkipReason } from "../make-cells.js";
import { type ReadNotebook, readContent } from "../read-content.js";

type CodeCell = Pick<Cell, "id" | "code">;

/** What the threads do. Without an embedder of its own a thread leaves the vectors to the main thread. */
export function createTasks({
  labeller,
  embedder,
}: {
  readonly labeller: Labeller;
  readonly embedder: Embedder | null;
}) {
  const make = embedder === null ? null : createMakeCells({ labeller, embedder });
  return {
    read: (content: Content): ReadNotebook => readContent(content),
    parse: ({ format, bytes }: { format: Format; bytes: Uint8Array }): ParsedNotebook => parseBytes(format, bytes),
    make: (cells: readonly CodeCell[]): Promise<Map<string, Made>> | undefined => make?.(cells),
    prepare: (cells: readonly CodeCell[]) =>
      new Map<string, StoredCell | SkipReason>(cells.map((cell) => [cell.id, prepareCell(cell, labeller)])),
  } satisfies Handlers;
}

export type IngestTasks = ReturnType<typeof createTasks>;
