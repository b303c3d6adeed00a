import { performance } from "node:perf_hooks";
import type { MilvusClient } from "@zilliz/milvus2-sdk-node";
import { createBreaker } from "./breaker.js";
import { openClient } from "./client.js";
import { within } from "./deadline.js";
import { assertSuccess, isOutage, outage, unavailable } from "./failure.js";

export interface ConnectionOptions {
  readonly address: string;
  /** How long one call may take as long as the server is alive. */
  readonly timeoutMs: number;
}

export interface CallOptions {
  /** False for a change that must not happen twice: what timed out may still arrive. */
  readonly repeatable?: boolean;
}

export interface Connection {
  /** Runs one call of the client; all that goes wrong becomes a RecommenderError that names what was tried. */
  call<T>(what: string, run: (client: MilvusClient, timeout: number) => Promise<T>, options?: CallOptions): Promise<T>;
  close(): Promise<void>;
}

/** A call that waits this long makes us ask whether the server is still there. */
const PATIENCE_MS = 1_000;
/** A live server answers the question for its version in milliseconds. */
const PROBE_MS = 1_500;
/** A server under load may be late once. */
const SILENT_PROBES = 2;
const CONNECT_MS = 4_000;
/** Until this long after its begin a call is tried again. */
const RETRY_MS = 3_000;
const FIRST_PAUSE_MS = 50;

/**
 * A client that is opened on first use and again after the server was gone. A lost connection is tried again with growing, jittered
 * pauses; a server that holds the connection and says nothing (it is frozen, or a firewall swallows it) is noticed by a second,
 * small question beside the slow call. Once it counts as gone, calls fail at once, and one of them at a time asks again.
 */
export function createConnection({ address, timeoutMs }: ConnectionOptions): Connection {
  const breaker = createBreaker();
  let opening: Promise<MilvusClient> | null = null;

  const open = (): Promise<MilvusClient> => {
    if (opening === null) {
      const attempt = openClient(address, CONNECT_MS).catch((cause) => {
        throw outage(cause instanceof Error ? cause.message : String(cause));
      });
      opening = attempt;
      attempt.catch(() => forget(attempt));
    }
    return opening;
  };
  const forget = (used: Promise<MilvusClient>) => {
    if (opening === used) opening = null;
    return used.then((client) => client.closeConnection()).catch(() => undefined);
  };

  const probe = (): Promise<void> => within(PROBE_MS, async () => void (await (await open()).getVersion()));

  const attempt = async <T>(run: (client: MilvusClient, timeout: number) => Promise<T>): Promise<T> => {
    const used = open();
    try {
      const client = await used;
      const response = await whileAlive(run(client, timeoutMs), probe);
      assertSuccess(response);
      return response;
    } catch (cause) {
      if (isOutage(cause)) void forget(used);
      throw cause;
    }
  };

  return {
    async call(what, run, { repeatable = true } = {}) {
      if (breaker.isOpen()) {
        if (!breaker.mayAsk()) throw unavailable(address, what, outage("it did not answer a moment ago"));
        const used = open();
        await probe().catch((cause) => {
          void forget(used);
          throw unavailable(address, what, cause);
        });
        breaker.close();
      }
      const end = performance.now() + RETRY_MS;
      for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
        try {
          return await attempt(run);
        } catch (cause) {
          const wait = pause * (0.5 + Math.random());
          const isOver = !isOutage(cause) || !repeatable || performance.now() + wait > end;
          if (isOver && isOutage(cause)) breaker.open();
          if (isOver) throw unavailable(address, what, cause);
          await new Promise((resolve) => setTimeout(resolve, wait));
        }
      }
    },
    async close() {
      if (opening !== null) await forget(opening);
    },
  };
}

/** The answer, however long it takes, as long as the server answers a small question meanwhile. */
async function whileAlive<T>(answer: Promise<T>, probe: () => Promise<void>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const silence = new Promise<never>((_, reject) => {
    const ask = (left: number, pause: number) => {
      if (isOver) return;
      timer = setTimeout(() => {
        const answered = () => ask(SILENT_PROBES, PATIENCE_MS);
        const silent = (cause: unknown) => (left > 1 ? ask(left - 1, 0) : reject(cause));
        probe().then(answered, silent);
      }, pause);
    };
    ask(SILENT_PROBES, PATIENCE_MS);
  });
  try {
    return await Promise.race([answer, silence]);
  } finally {
    isOver = true;
    clearTimeout(timer);
    // Whichever lost the race may still fail, and nobody listens any more.
    answer.catch(() => undefined);
    silence.catch(() => undefined);
  }
}
