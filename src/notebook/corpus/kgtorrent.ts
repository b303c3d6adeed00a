import type { Corpus, Found } from "./entry.js";
import { kernelFacts } from "./kernel-metadata.js";

/** KGTorrent names a notebook by its author and the kernel's name in its address. */
const NAME = /(?:^|\/)([A-Za-z0-9-]+)_([^/]+)\.ipynb$/;

/** Adds author and address, as the names of KGTorrent's files tell them. */
export async function* nameKgtorrent(corpus: Corpus): AsyncGenerator<Found> {
  for await (const found of corpus) {
    const [, author, slug] = NAME.exec(found.path) ?? [];
    if ("rejected" in found || author === undefined) yield found;
    else yield { ...found, facts: { ...found.facts, ...kernelFacts(author, slug!) } };
  }
}
