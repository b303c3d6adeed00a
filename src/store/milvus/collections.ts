import type { Connection } from "./connection.js";
import { codeOf, NOT_FOUND } from "./failure.js";
import type { Layout } from "./schema.js";

const LOAD_TIMEOUT_MS = 60_000;
const LOAD_POLL_MS = 100;
/**
 * The first version that supports functions. An older server accepts such a collection, and crashes when it is loaded.
 */
const FUNCTIONS_SINCE = [2, 5];

export type Collections = ReturnType<typeof createCollections>;

/** Creates, finds and drops collections, and detects the features of the server. */
export function createCollections({ call }: Connection) {
  /** The server's description of a collection, by name or alias; null if there is none. */
  const find = (name: string) =>
    call("describe a collection", async (client, timeout) => {
      try {
        const found = await client.describeCollection({ collection_name: name, timeout });
        return found.status.code === NOT_FOUND ? null : found;
      } catch (error) {
        // If the answer has no schema, the client fails; Milvus Lite answers like this for a missing collection.
        if (error instanceof TypeError) return null;
        throw error;
      }
    });

  const drop = async (names: readonly string[]) => {
    for (const name of names) {
      await call("drop a collection", (client, timeout) => client.dropCollection({ collection_name: name, timeout }));
    }
  };

  const make = (name: string, about: string, { fields, functions }: Layout) =>
    call("create a collection", (client, timeout) =>
      client.createCollection({
        collection_name: name,
        description: about,
        fields: fields as never,
        ...(functions && { functions: functions as never }),
        consistency_level: "Bounded",
        timeout,
      }),
    );

  const index = async (name: string, { indexes, scalars }: Layout) => {
    const make = (each: object) =>
      call("create an index", (client, timeout) =>
        client.createIndex({ collection_name: name, ...each, timeout } as never),
      );
    for (const each of indexes) await make(each);
    for (const [field_name, kinds] of Object.entries(scalars)) {
      for (const index_type of kinds) {
        const isMade = await make({ field_name, index_type }).then(
          () => true,
          (error) => {
            if (codeOf(error) === null) throw error;
            return false;
          },
        );
        if (isMade) break;
      }
    }
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
      await new Promise((resolve) => setTimeout(resolve, LOAD_POLL_MS));
    }
  };

  return {
    find,
    drop,

    /** Creates a collection; also succeeds if another process creates it at the same time. */
    async create(name: string, about: string, layout: Layout): Promise<void> {
      await make(name, about, layout);
      await index(name, layout);
      await load(name);
    },

    /**
     * Whether the server supports this layout with its functions and indexes. If so, the collection is left created,
     * indexed and loaded; otherwise it is dropped. A server without functions omits them when it describes the fields.
     */
    async tryCreate(name: string, about: string, layout: Layout): Promise<boolean> {
      try {
        await make(name, about, layout);
        const found = await find(name);
        const fields = (found?.schema.fields ?? []) as readonly { is_function_output?: boolean }[];
        const isMade = layout.functions === undefined || fields.some(({ is_function_output }) => is_function_output);
        if (isMade) {
          await index(name, layout);
          await load(name);
          return true;
        }
      } catch (error) {
        if (codeOf(error) === null) throw error;
      }
      await drop([name]);
      return false;
    },

    /** False if the call would crash the server (by its version); a server without a known version is asked. */
    async mayKnowFunctions(): Promise<boolean> {
      const { version } = await call("tell its version", (client) => client.getVersion());
      const [major, minor] = (/(\d+)\.(\d+)/.exec(version ?? "") ?? []).slice(1).map(Number);
      if (major === undefined || minor === undefined) return true;
      return major > FUNCTIONS_SINCE[0]! || (major === FUNCTIONS_SINCE[0]! && minor >= FUNCTIONS_SINCE[1]!);
    },

    /** The names that match the pattern. */
    async list(pattern: RegExp): Promise<string[]> {
      const { data } = await call("list the collections", (client, timeout) => client.listCollections({ timeout }));
      return data.map(({ name }) => name).filter((name) => pattern.test(name));
    },
  };
}
