import { randomBytes } from "node:crypto";
import { z } from "zod";
import { RecommenderError } from "../../errors.js";
import type { IndexIdentity } from "../vector-store.js";
import type { Connection } from "./connection.js";
import { cellFields, cellIndexes, OCCURRENCE_FIELDS, OCCURRENCE_INDEXES } from "./schema.js";

/** The two collections of an index. The alias PREFIX_cells points to the current ones, and moving it is the switch. */
export interface Generation {
  readonly cells: string;
  readonly occurrences: string;
  readonly identity: IndexIdentity;
  /** Searched without approximation. */
  readonly exact: boolean;
}

export interface GenerationsOptions {
  readonly connection: Connection;
  readonly address: string;
  readonly prefix: string;
}

const LOAD_TIMEOUT_MS = 60_000;
const NOT_FOUND = 100;

/** What the description of a collection of cells says, in JSON. */
const description = z.object({
  celrec: z.literal(1),
  identity: z.object({
    embedder: z.string(),
    dimensions: z.int(),
    labeller: z.string(),
    labels: z.array(z.string()),
  }),
  exact: z.boolean(),
  occurrences: z.string(),
});

export function createGenerations({ connection: { call }, address, prefix }: GenerationsOptions) {
  const alias = `${prefix}_cells`;

  const find = async (): Promise<Generation | null> => {
    const found = await call("describe the index", async (client, timeout) => {
      const answer = await client.describeCollection({ collection_name: alias, timeout });
      return answer.status.code === NOT_FOUND ? null : answer;
    });
    if (found === null) return null;
    const parsed = description.safeParse(parseJson(found.schema.description));
    if (!parsed.success) {
      const message = `The collection ${alias} in Milvus at ${address} is no index of celrec; rename it or remove it.`;
      throw new RecommenderError("INDEX_MISMATCH", message, { cause: parsed.error });
    }
    const { identity, exact, occurrences } = parsed.data;
    return { cells: found.schema.name, occurrences, identity, exact };
  };

  const create = async (name: string, fields: readonly object[], indexes: readonly object[], about: string) => {
    await call("create a collection", (client, timeout) =>
      client.createCollection({
        collection_name: name,
        description: about,
        fields: fields as never,
        consistency_level: "Bounded",
        timeout,
      }),
    );
    for (const index of indexes) {
      const request = { collection_name: name, ...index } as never;
      await call("create an index", (client) => client.createIndex(request));
    }
    await load(name);
  };

  const load = async (name: string) => {
    await call("load a collection", (client, timeout) => client.loadCollection({ collection_name: name, timeout }));
    for (const start = Date.now(); ; ) {
      const { state } = await call("load a collection", async (client, timeout) => {
        const answer = await client.getLoadState({ collection_name: name, timeout });
        const late = Date.now() - start > LOAD_TIMEOUT_MS && answer.state !== "LoadStateLoaded";
        if (late) throw new Error(`${name} is not loaded after ${LOAD_TIMEOUT_MS / 1000} s`);
        return answer;
      });
      if (state === "LoadStateLoaded") return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };

  const drop = async (names: readonly string[]) => {
    for (const name of names) {
      await call("drop a collection", (client, timeout) => client.dropCollection({ collection_name: name, timeout }));
    }
  };

  return {
    find,
    drop,

    /** New, empty and loaded collections, which nobody sees yet; the occurrences may be those of another generation. */
    async create(identity: IndexIdentity, exact: boolean, occurrences?: string): Promise<Generation> {
      const stamp = `${Date.now().toString(36)}${randomBytes(3).toString("hex")}`;
      const cells = `${alias}_${stamp}`;
      const places = occurrences ?? `${prefix}_occurrences_${stamp}`;
      const about = JSON.stringify({ celrec: 1, identity, exact, occurrences: places });
      const making = [create(cells, cellFields(identity.dimensions), cellIndexes(exact), about)];
      if (occurrences === undefined) making.push(create(places, OCCURRENCE_FIELDS, OCCURRENCE_INDEXES, "celrec"));
      await Promise.all(making);
      return { cells, occurrences: places, identity, exact };
    },

    /** Makes a generation the one that all find. Fails where another process made the first one meanwhile. */
    async publish(next: Generation, isFirst: boolean): Promise<void> {
      const request = { alias, collection_name: next.cells };
      await call("publish the index", (client, timeout) =>
        isFirst ? client.createAlias({ ...request, timeout }) : client.alterAlias({ ...request, timeout }),
      );
    },

    /** Drops the index itself, and whatever else has its name. */
    async destroy(): Promise<void> {
      if ((await find()) !== null)
        await call("drop the alias", (client, timeout) => client.dropAlias({ alias, timeout }));
      await this.sweep(null);
    },

    /** Drops what older generations and interrupted rewrites left behind. */
    async sweep(kept: Generation | null): Promise<void> {
      const { data } = await call("list the collections", (client, timeout) => client.listCollections({ timeout }));
      const ours = new RegExp(`^${prefix}_(cells|occurrences)_[0-9a-z]+$`);
      const names = data.map(({ name }) => name).filter((name) => ours.test(name));
      await drop(names.filter((name) => name !== kept?.cells && name !== kept?.occurrences));
    },
  };
}

export type Generations = ReturnType<typeof createGenerations>;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
