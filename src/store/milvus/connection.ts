import type { MilvusClient } from "@zilliz/milvus2-sdk-node";
import { RecommenderError } from "../../errors.js";

export interface ConnectionOptions {
  readonly address: string;
  /** How long one call may take. */
  readonly timeoutMs: number;
}

export interface Connection {
  /** Runs one call of the client; all that goes wrong becomes a RecommenderError that names what was tried. */
  call<T>(what: string, run: (client: MilvusClient, timeout: number) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** gRPC codes after which the channel is given up: cancelled, deadline exceeded, unavailable. */
const BROKEN = new Set<unknown>([1, 4, 14]);

/** A client that is opened on first use and again after the server was gone. */
export function createConnection({ address, timeoutMs }: ConnectionOptions): Connection {
  let opening: Promise<MilvusClient> | null = null;

  const forget = (used: Promise<MilvusClient>) => {
    if (opening === used) opening = null;
    return used.then((client) => client.closeConnection()).catch(() => undefined);
  };

  return {
    async call(what, run) {
      opening ??= openClient(address);
      const used = opening;
      const client = await used.catch((cause) => {
        if (opening === used) opening = null;
        throw unavailable(address, "connect", cause);
      });
      try {
        const response = await run(client, timeoutMs);
        assertSuccess(response);
        return response;
      } catch (cause) {
        if (BROKEN.has((cause as { code?: unknown }).code)) void forget(used);
        throw unavailable(address, what, cause);
      }
    },
    async close() {
      if (opening !== null) await forget(opening);
    },
  };
}

async function openClient(address: string): Promise<MilvusClient> {
  // Loaded here because it takes a third of a second, which the users of the embedded store need not pay.
  const { MilvusClient } = await import("@zilliz/milvus2-sdk-node");
  const client = new MilvusClient({
    address,
    timeout: CONNECT_TIMEOUT_MS,
    // A retry gets a deadline of its own, so retries would multiply the time until a caller hears that Milvus is down.
    maxRetries: 0,
    logLevel: "error",
    telemetry: { enabled: false },
    // Otherwise a new client inherits the back-off of the channel it replaces, which grows to two minutes.
    channelOptions: { "grpc.use_local_subchannel_pool": 1, "grpc.max_reconnect_backoff_ms": 1_000 },
  });
  try {
    await client.connectPromise;
    return client;
  } catch (error) {
    await client.closeConnection();
    throw error;
  }
}

/** Most failures do not throw: the answer is the status, or has it as a field. */
function assertSuccess(response: unknown): void {
  const { status = response } = (response ?? {}) as { status?: unknown };
  const { error_code, reason } = (status ?? {}) as { error_code?: unknown; reason?: string };
  if (error_code !== undefined && error_code !== "Success" && error_code !== 0) {
    throw new Error(reason || String(error_code));
  }
}

function unavailable(address: string, what: string, cause: unknown): RecommenderError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (/disk quota/i.test(reason)) {
    return new RecommenderError("DISK_FULL", `Milvus at ${address} has no room left to ${what}: ${reason}`, { cause });
  }
  const message = `Milvus at ${address} could not ${what}: ${reason}; is it running? Its address is CELREC_MILVUS_ADDRESS.`;
  return new RecommenderError("STORE_UNAVAILABLE", message, { cause });
}
