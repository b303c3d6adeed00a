import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { MilvusClient } from "@zilliz/milvus2-sdk-node";
import { createMilvusStore, type MilvusOptions } from "../../../src/store/milvus.js";
import type { IndexIdentity } from "../../../src/store/vector-store.js";
import { requires } from "../../require.js";
import type { StorePlace } from "../contract.js";

export const ADDRESS = process.env.CELREC_TEST_MILVUS ?? "127.0.0.1:19530";
export const LITE_ADDRESS = process.env.CELREC_TEST_MILVUS_LITE ?? "127.0.0.1:19630";

const how = (address: string, script: string) =>
  `no Milvus answers at ${address}; start one with: python3 scripts/${script} start`;

export const hasMilvus = async () => requires("milvus", await isOpen(ADDRESS), how(ADDRESS, "milvus-server.py"));
export const hasMilvusLite = async () =>
  requires("milvus", await isOpen(LITE_ADDRESS), how(LITE_ADDRESS, "milvus-lite.py"));

export interface MilvusPlace extends StorePlace {
  readonly address: string;
  readonly prefix: string;
  readonly open: (identity: IndexIdentity, options?: Partial<MilvusOptions>) => ReturnType<typeof createMilvusStore>;
}

/** An index with a unique name. */
export function newPlace(address = ADDRESS): MilvusPlace {
  const prefix = `test_${randomBytes(6).toString("hex")}`;
  return {
    address,
    prefix,
    open: (identity, options) => createMilvusStore({ address, identity, prefix, ...options }),
    drop: () => useClient(address, (client) => dropIndex(client, prefix)),
  };
}

export async function useClient<T>(address: string, action: (client: MilvusClient) => Promise<T>): Promise<T> {
  const client = new MilvusClient({
    address,
    logLevel: "error",
    telemetry: { enabled: false },
    // Lite closes connections that ping as often as the client does by default.
    channelOptions: { "grpc.keepalive_time_ms": 300_000 },
  });
  try {
    await client.connectPromise;
    return await action(client);
  } finally {
    await client.closeConnection();
  }
}

/** The collections of an index, without the stamps that make their names unique. */
export function collectionsOf(prefix: string, address = ADDRESS): Promise<string[]> {
  return useClient(address, async (client) => {
    const { data } = await client.listCollections();
    const names = data.map(({ name }) => name).filter((name) => name.startsWith(`${prefix}_`));
    return names.map((name) => name.slice(prefix.length + 1).replace(/_\w+$/, "")).sort();
  });
}

async function dropIndex(client: MilvusClient, prefix: string): Promise<void> {
  const { data } = await client.listCollections();
  for (const { name } of data) {
    if (name.startsWith(`${prefix}_`)) await client.dropCollection({ collection_name: name });
  }
}

function isOpen(address: string): Promise<boolean> {
  const [host, port] = address.split(":");
  return new Promise((resolve) => {
    const socket = connect({ host: host!, port: Number(port), timeout: 2_000 });
    const end = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket
      .once("connect", () => end(true))
      .once("error", () => end(false))
      .once("timeout", () => end(false));
  });
}
