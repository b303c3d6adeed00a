import type { NamedNotebook } from "../../ingest/ingest.js";
import type { Target } from "../target.js";

const BATCH_CELLS = 1_000;

/** Gives the target all notebooks, a batch of about a thousand cells at a time. */
export async function uploadAll(
  target: Pick<Target, "add">,
  notebooks: readonly NamedNotebook[],
  signal: AbortSignal,
  onProgress: (done: number) => void,
): Promise<void> {
  let from = 0;
  while (from < notebooks.length && !signal.aborted) {
    let to = from;
    for (let cells = 0; to < notebooks.length && cells < BATCH_CELLS; to += 1)
      cells += notebooks[to]!.notebook.cells.length;
    await target.add(notebooks.slice(from, to));
    onProgress(to);
    from = to;
  }
}
