import { z } from "zod";
import { RecommenderError } from "../../errors.js";
import type { IndexIdentity } from "../vector-store.js";
import type { Collections } from "./collections.js";
import { codeOf, isNotLoaded, NOT_FOUND } from "./failure.js";
import { type Journal, newOwner } from "./journal.js";
import { cellsLayout, JOURNAL_LAYOUT, OCCURRENCES_LAYOUT } from "./schema.js";
import type { Tables } from "./tables.js";

/** The two collections of an index. A row of the journal names the current ones, and changing it is the switch. */
export interface Generation {
  readonly cells: string;
  readonly occurrences: string;
  readonly identity: IndexIdentity;
  /** Searched without approximation. */
  readonly exact: boolean;
  /** Whether the server searches it by words. */
  readonly words: boolean;
  /** Whether occurrences know the votes of their notebooks, which those of earlier layouts do not. */
  readonly votes: boolean;
}

export interface GenerationsDeps {
  readonly collections: Collections;
  readonly tables: Tables;
  readonly journal: Journal;
  readonly address: string;
  readonly prefix: string;
}

const ABOUT_JOURNAL = "celrec journal 2";

const current = z.object({
  cells: z.string(),
  occurrences: z.string(),
  identity: z.object({
    embedder: z.string(),
    dimensions: z.int(),
    labeller: z.string(),
    labels: z.array(z.string()),
  }),
  exact: z.boolean(),
  words: z.boolean(),
  votes: z.boolean().default(false),
});

export type Generations = ReturnType<typeof createGenerations>;

export function createGenerations({ collections, tables, journal, address, prefix }: GenerationsDeps) {
  const ours = new RegExp(`^${prefix}_(cells|occurrences)_[0-9a-z]+$`);

  const parse = (about: string): Generation => current.parse(JSON.parse(about));

  const createJournal = () => collections.create(journal.name, ABOUT_JOURNAL, JOURNAL_LAYOUT);

  const read = async (): Promise<Generation | null> => {
    const selection = { fields: ["id", "about"] as const, level: "Strong" as const };
    const [row] = await tables.query<{ id: string; about: string }>(journal.name, 'id == "current"', 1, selection);
    return row === undefined ? null : parse(row.about);
  };

  return {
    parse,

    /** The current one; null where there is none yet. */
    async find(): Promise<Generation | null> {
      try {
        return await read();
      } catch (error) {
        if (codeOf(error) === NOT_FOUND) return null;
        if (error instanceof RecommenderError && (await isForeign())) throw foreign();
        if (!isNotLoaded(error)) throw error;
        // Another process is making it at this moment, or was killed while it did.
        await createJournal();
        return read();
      }
    },

    createJournal,

    /** New, empty and loaded collections, which nobody sees yet; the occurrences may be those of another generation. */
    async create(identity: IndexIdentity, exact: boolean, occurrences?: string): Promise<Generation> {
      const stamp = newOwner();
      const names = { cells: `${prefix}_cells_${stamp}`, occurrences: occurrences ?? `${prefix}_occurrences_${stamp}` };
      const [made] = await Promise.all([
        createCells(names.cells, identity.dimensions, exact),
        occurrences === undefined ? collections.create(names.occurrences, "celrec", OCCURRENCES_LAYOUT) : null,
      ]);
      return { ...names, identity, ...made, votes: true };
    },

    publish: (next: Generation) => journal.announce("current", "", next),

    drop: (names: readonly string[]) => collections.drop(names),

    /** Drops what older generations and interrupted rewrites left behind. */
    async sweep(kept: Generation): Promise<void> {
      const names = await collections.list(ours);
      await collections.drop(names.filter((name) => name !== kept.cells && name !== kept.occurrences));
    },

    /** Drops the index itself, and whatever else has its name. */
    async destroy(): Promise<void> {
      const names = await collections.list(ours);
      if ((await collections.find(journal.name)) !== null) names.unshift(journal.name);
      await collections.drop(names);
    },
  };

  /** As good as the server can: with a graph and with words where it knows them. */
  async function createCells(name: string, dimensions: number, exact: boolean) {
    const mayKnowWords = await collections.mayKnowFunctions();
    for (const words of mayKnowWords ? [true, false] : [false]) {
      for (const kind of exact ? [true] : [false, true]) {
        const layout = cellsLayout({ dimensions, exact: kind, words });
        if (await collections.tryCreate(name, "celrec", layout)) return { exact: kind, words };
      }
    }
    throw new RecommenderError(
      "STORE_UNAVAILABLE",
      `Milvus at ${address} refuses the collection ${name}; is it 2.3.5 or later?`,
    );
  }

  async function isForeign(): Promise<boolean> {
    const found = await collections.find(journal.name);
    return found !== null && found.schema.description !== ABOUT_JOURNAL;
  }

  function foreign(): RecommenderError {
    const message = `The collection ${journal.name} in Milvus at ${address} is no index of celrec; rename it or remove it.`;
    return new RecommenderError("INDEX_MISMATCH", message);
  }
}
