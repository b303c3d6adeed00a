import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach } from "vitest";
import { createLexicalEmbedder } from "../../src/embed/lexical.js";
import { createLabeller } from "../../src/label/create-labeller.js";
import type { NamedNotebook, NotebookCell } from "../../src/notebook/notebook.js";
import { createEmbeddedStore } from "../../src/store/embedded.js";
import type { VectorStore } from "../../src/store/vector-store.js";
import { fastFolder } from "../fast-folder.js";

export const embedder = createLexicalEmbedder();
export const labeller = createLabeller();

/** Gives each test its own folders and stores, and removes them afterwards. */
export function useStores() {
  const stores: VectorStore[] = [];
  const folders: string[] = [];
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  const newFolder = () => {
    folders.push(mkdtempSync(join(fastFolder, "celrec-ingest-")));
    return folders.at(-1)!;
  };
  const newStore = () => {
    const identity = {
      embedder: embedder.id,
      dimensions: embedder.dimensions,
      labeller: labeller.id,
      labels: labeller.labels,
    };
    const writer = { pid: process.pid, activity: "the tests of ingest" };
    stores.push(createEmbeddedStore({ folder: newFolder(), identity, writer, hold: "call" }));
    return stores.at(-1)!;
  };
  return { newFolder, newStore };
}

/** A notebook of these cells; a text that starts with "md:" is Markdown. */
export function notebook(name: string, ...sources: string[]): NamedNotebook {
  const cells = sources.map(
    (source, index): NotebookCell => ({
      index,
      type: source.startsWith("md:") ? "markdown" : "code",
      source,
    }),
  );
  return { name, notebook: { cells } };
}

/** How often each label is given to these cleaned cells. */
export function countLabels(...cleaned: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { label } of cleaned.flatMap((clean) => labeller.label(clean, "cell").labels)) {
    counts[label] = (counts[label] ?? 0) + 1;
  }
  return counts;
}
