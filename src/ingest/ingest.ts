import type { Embedder } from "../embed/embedder.js";
import { RecommenderError } from "../errors.js";
import type { Labeller } from "../label/labeller.js";
import type { NamedNotebook } from "../notebook/notebook.js";
import type { VectorStore } from "../store/vector-store.js";
import { createIntake, type Incoming, toIncoming } from "./intake.js";
import { createMakeCells, type MakeNewCells } from "./make-cells.js";
import { type NotebookCode, readCode } from "./read-content.js";
import { countLabels, type IngestReport, reportBatch } from "./report.js";

export type { IngestReport };

interface IngestDeps {
  readonly embedder: Embedder;
  readonly labeller: Labeller;
  readonly store: VectorStore;
  /** Makes the cells; by default on the calling thread. */
  readonly make?: MakeNewCells;
}

/** A notebook that is reduced to its code, as `Workers.read` returns it. */
interface NamedCode extends Omit<NamedNotebook, "notebook"> {
  readonly code: NotebookCode;
}

export type Ingest = (
  notebooks: readonly (NamedNotebook | NamedCode)[],
  signal?: AbortSignal,
) => Promise<IngestReport[]>;

/**
 * The write path: a batch of notebooks is cleaned, labelled, embedded and stored. When the promise resolves, the whole batch
 * is stored; when it rejects, none of it or all of it is. Throws TOO_LARGE for a notebook that is over a limit.
 */
export function createIngest({
  embedder,
  labeller,
  store,
  make = createMakeCells({ embedder, labeller }),
}: IngestDeps): Ingest {
  const intake = createIntake({ store, make });
  return async (notebooks, signal) => {
    const batch = await intake.prepare(notebooks.map(readIncoming), signal);
    for (const error of batch.failed.values()) throw error;
    const outcome = await intake.write(batch, signal);
    return Promise.all(
      reportBatch(batch, outcome).map(async (report, place) =>
        report.unchanged ? { ...report, labels: await storedLabels(batch.notebooks[place]!, store) } : report,
      ),
    );
  };
}

function readIncoming(notebook: NamedNotebook | NamedCode): Incoming {
  if ("code" in notebook) return toIncoming(notebook, notebook.code);
  const read = readCode(notebook.notebook);
  if ("code" in read) return toIncoming(notebook, read.code);
  throw new RecommenderError("TOO_LARGE", `${notebook.name}: ${read.rejected.reason}`);
}

/** The stored labels of an unchanged notebook's cells. */
async function storedLabels({ code }: Incoming, store: VectorStore): Promise<Record<string, number>> {
  const stored = await store.cells([...new Set(code.cells.map(({ id }) => id))]);
  const labels = new Map(stored.map((cell) => [cell.id, cell.labels]));
  return countLabels(code.cells.map(({ id }) => labels.get(id) ?? []));
}
