import { createHash } from "node:crypto";
import type { VectorStore } from "../store/vector-store.js";

/** A corpus in the index. */
export interface SourceSummary {
  readonly id: string;
  readonly source: string;
  readonly notebooks: number;
  /** Occurrences of cells. */
  readonly cells: number;
  readonly skipped: number;
}

const PAGE = 1_000;

type Paged = Pick<VectorStore, "notebooks">;

/** For addresses, where a path does not fit. */
export function sourceId(source: string): string {
  return createHash("sha256").update(source.toWellFormed()).digest("hex");
}

/** The sources of an index, by name. */
export async function listSources(store: Paged): Promise<SourceSummary[]> {
  const found = new Map<string, SourceSummary>();
  for await (const { source, cells, skipped } of allNotebooks(store)) {
    const sum = found.get(source) ?? { id: sourceId(source), source, notebooks: 0, cells: 0, skipped: 0 };
    const { notebooks } = sum;
    found.set(source, { ...sum, notebooks: notebooks + 1, cells: sum.cells + cells, skipped: sum.skipped + skipped });
  }
  return [...found.values()].sort((one, other) => (one.source < other.source ? -1 : 1));
}

/** Removes the notebooks of these sources that `isKept` does not want; returns how many. */
export async function removeNotebooks(
  store: Pick<VectorStore, "notebooks" | "remove">,
  sources: ReadonlySet<string>,
  isKept: (id: string) => boolean,
  signal?: AbortSignal,
): Promise<number> {
  let removed = 0;
  for await (const { id, source } of allNotebooks(store)) {
    if (signal?.aborted) break;
    if (sources.has(source) && !isKept(id) && (await store.remove(id))) removed += 1;
  }
  return removed;
}

async function* allNotebooks(store: Paged) {
  for (let after = ""; ; ) {
    const page = await store.notebooks({ ...(after !== "" && { after }), limit: PAGE });
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1)!.id;
  }
}
