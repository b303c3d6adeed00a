import type { Hit, LexicalQuery } from "../vector-store.js";
import type { createAmongNotebooks } from "./among-notebooks.js";
import type { Connection } from "./connection.js";
import { both, labelExpression } from "./expression.js";
import type { Generation } from "./generations.js";
import type { Found, HiddenAmong } from "./hidden.js";
import type { Journal } from "./journal.js";
import { WINDOW } from "./tables.js";

/** A weight is told by repeating the word, in quarters: the server's BM25 counts the words of a query. */
const REPEATED = 4;

export interface WordsDeps {
  readonly connection: Connection;
  readonly journal: Journal;
  readonly hiddenAmong: HiddenAmong;
  readonly amongNotebooks: ReturnType<typeof createAmongNotebooks>;
}

/** The server's own BM25 over the subwords of the code; null where it has none, or the collection is older than it. */
export function createWords({ connection: { call }, journal, hiddenAmong, amongNotebooks }: WordsDeps) {
  return async (generation: Generation, { words, k, filter, notebooks }: LexicalQuery): Promise<Hit[] | null> => {
    if (!generation.words) return null;
    const expression = labelExpression(filter);
    const text = toQuery(words);
    if (expression === null || k < 1 || text === "") return [];
    const find = (count: number, among = "") => search(generation, text, both(expression, among), count);
    return notebooks === undefined ? find(k) : amongNotebooks(generation, { k, notebooks, level: "Bounded" }, find);
  };

  async function search(generation: Generation, text: string, filter: string, k: number): Promise<Hit[]> {
    const searching = call("search by words", (client, timeout) =>
      client.search({
        collection_name: generation.cells,
        anns_field: "bm25",
        data: text as never,
        filter,
        limit: Math.min(k, WINDOW),
        output_fields: ["id", "made"],
        consistency_level: "Bounded" as never,
        timeout,
      }),
    );
    const [{ results }, under] = await Promise.all([searching, journal.underWay("Bounded")]);
    const hits = results as unknown as Found[];
    const hidden = await hiddenAmong(generation, hits, under, "Bounded");
    return hits.filter(({ id }) => !hidden.has(id)).map(({ id, score }) => ({ id, score: score / REPEATED }));
  }
}

function toQuery(words: ReadonlyMap<string, number>): string {
  return [...words].flatMap(([word, weight]) => Array<string>(Math.round(REPEATED * weight)).fill(word)).join(" ");
}
