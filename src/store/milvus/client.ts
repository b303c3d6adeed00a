import type { MilvusClient } from "@zilliz/milvus2-sdk-node";

/** Connects, or fails after `timeout` milliseconds. */
export async function openClient(address: string, timeout: number): Promise<MilvusClient> {
  // Loaded here because it takes a third of a second, which the users of the embedded store need not pay.
  const { MilvusClient } = await import("@zilliz/milvus2-sdk-node");
  const client = new MilvusClient({
    address,
    timeout,
    // Retries are the connection's, which knows how long the caller has waited already.
    maxRetries: 0,
    logLevel: "error",
    telemetry: { enabled: false },
    // Otherwise a new client inherits the back-off of the channel it replaces, which grows to two minutes.
    channelOptions: {
      "grpc.use_local_subchannel_pool": 1,
      "grpc.max_reconnect_backoff_ms": 1_000,
      // The connection asks by itself whether the server is there; servers break off connections that ping more often than this.
      "grpc.keepalive_time_ms": 300_000,
      "grpc.keepalive_permit_without_calls": 0,
    },
  });
  try {
    await client.connectPromise;
    return client;
  } catch (error) {
    await client.closeConnection();
    throw error;
  }
}
