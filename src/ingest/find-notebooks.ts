import { realpathSync } from "node:fs";
import { notebookId } from "../cells/extract.js";
import { RecommenderError } from "../errors.js";
import type { VectorStore } from "../store/vector-store.js";

const PAGE = 1_000;
const ID = /^[0-9a-f]{64}$/;

/**
 * The ids of the notebooks that people mean by these words: an id, a path in any source, source
 * and path, or the file itself.
 */
export async function findNotebooks(
  store: Pick<VectorStore, "versions" | "notebooks">,
  words: readonly string[],
): Promise<Map<string, readonly string[]>> {
  const uploads = new Map(words.map((word) => [word, ID.test(word) ? word : notebookId(word)]));
  const known = await store.versions([...uploads.values()]);
  const found = new Map<string, string[]>();
  const wanted = words.filter((word) => {
    const id = uploads.get(word)!;
    if (!known.has(id)) return true;
    found.set(word, [id]);
    return false;
  });
  const byMeaning = new Map(
    wanted.flatMap((word) => [word, realPath(word)].map((meaning) => [meaning, word] as const)),
  );
  for (let after = ""; byMeaning.size > 0; ) {
    const page = await store.notebooks({ ...(after !== "" && { after }), limit: PAGE });
    for (const { id, source, name } of page) {
      for (const word of new Set([byMeaning.get(name), byMeaning.get(`${source}/${name}`)]))
        if (word !== undefined) found.set(word, [...(found.get(word) ?? []), id]);
    }
    if (page.length < PAGE) break;
    after = page.at(-1)!.id;
  }
  return new Map(words.map((word) => [word, found.get(word) ?? []]));
}

/** The one notebook that a word means, or null; INPUT_INVALID where it means several. */
export function onlyOne(word: string, ids: readonly string[]): string | null {
  if (ids.length < 2) return ids[0] ?? null;
  const advice = `say which by its id: ${ids.join(", ")}`;
  throw new RecommenderError(
    "INPUT_INVALID",
    `${ids.length} notebooks of different sources are called ${word}; ${advice}.`,
  );
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
