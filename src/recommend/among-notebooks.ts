import type { NotebookFilter, VectorStore } from "../store/vector-store.js";

/** The same store as far as it stands in notebooks that pass: nothing else is found, followed or shown. */
export function amongNotebooks(store: VectorStore, notebooks: NotebookFilter): VectorStore {
  return {
    ...store,
    search: (query, signal) => store.search({ ...query, notebooks }, signal),
    lexical: (query, signal) => store.lexical({ ...query, notebooks }, signal),
    provenance: (ids, exclude, signal) => store.provenance(ids, { ...exclude, outside: notebooks }, signal),
    followers: (ids, exclude, signal) => store.followers(ids, { ...exclude, outside: notebooks }, signal),
  };
}
