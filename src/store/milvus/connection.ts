import { performance } from "node:perf_hooks";
import type { MilvusClient } from "@zilliz/milvus2-sdk-node";
import { within } from "./deadline.js";
import { assertSuccess, isOutage, isRefusal, outage, toError, unavailable } from "./failure.js";

/** Address and credentials of the server. */
export interface MilvusAccess {
  /** HOST:PORT */
  readonly address: string;
  /** `user:password`, or the API key of a managed server. */
  readonly token?: string;
  /** True to trust the system's certificate authorities, or the path of a PEM file with the authority's certificate. */
  readonly tls?: boolean | string;
  /** The database on the server; by default the server's default database. */
  readonly database?: string;
}

interface ConnectionOptions extends MilvusAccess {
  /** Time limit of a call, as long as the server is alive. */
  readonly timeoutMs: number;
}

export interface CallOptions {
  /** False for a change that must not be executed twice, because a call that timed out may still arrive. */
  readonly repeatable?: boolean;
}

export interface Connection {
  /** Runs one call of the client. Every failure becomes a RecommenderError that names the attempted action. */
  call<T>(what: string, run: (client: MilvusClient, timeout: number) => Promise<T>, options?: CallOptions): Promise<T>;
  close(): Promise<void>;
}

/** After this time, a running call triggers a check whether the server is alive. */
const SLOW_CALL_MS = 1_000;
/** A live server reports its version in milliseconds. */
const PROBE_MS = 1_500;
/** A server under load may miss one check. */
const MAX_MISSED_PROBES = 2;
const CONNECT_MS = 4_000;
/** A call is retried until this long after its start. */
const RETRY_MS = 3_000;
const FIRST_PAUSE_MS = 50;
/** Connections of the client. One is reserved for the liveness check, which must not queue behind slow calls. */
const CONNECTIONS = 10;
const MAX_CALLS = CONNECTIONS - 1;
/**
 * The pause between two checks of a server that is gone. Half of it is random, so that clients do not check at the same
 * moment.
 */
const MIN_PAUSE_MS = 250;
const MAX_PAUSE_MS = 2_000;

/**
 * A client that is opened on first use, and again after the server was gone. A lost connection is retried with growing,
 * jittered pauses. A silent server (frozen, or behind a firewall that drops packets) is detected by a second, small
 * call beside the slow one. Once it counts as gone, calls fail at once, and one of them at a time checks again.
 */
export function createConnection({ timeoutMs, ...access }: ConnectionOptions): Connection {
  const { address } = access;
  const breaker = createBreaker();
  const inLine = createLine(MAX_CALLS);
  let opening: Promise<MilvusClient> | null = null;

  const open = (): Promise<MilvusClient> => {
    if (opening === null) {
      const attempt = openClient(access, CONNECT_MS).catch((thrown) => {
        const cause = toError(thrown);
        // A server that rejects the credentials will do so again.
        throw isRefusal(cause) ? cause : outage(cause.message);
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
      const response = await inLine(() => whileAlive(run(client, timeoutMs), probe));
      assertSuccess(response);
      return response;
    } catch (thrown) {
      const cause = toError(thrown);
      if (isOutage(cause)) void forget(used);
      throw cause;
    }
  };

  return {
    async call(what, run, { repeatable = true } = {}) {
      if (breaker.isOpen()) {
        if (!breaker.mayAsk()) throw unavailable(address, what, outage("it did not answer the previous call"));
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

/** Waits for the answer as long as the server answers small calls meanwhile. */
async function whileAlive<T>(answer: Promise<T>, probe: () => Promise<void>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const silence = new Promise<never>((_, reject) => {
    const ask = (left: number, pause: number) => {
      if (isOver) return;
      timer = setTimeout(() => {
        const answered = () => ask(MAX_MISSED_PROBES, SLOW_CALL_MS);
        const silent = (cause: unknown) => (left > 1 ? ask(left - 1, 0) : reject(cause));
        probe().then(answered, silent);
      }, pause);
    };
    ask(MAX_MISSED_PROBES, SLOW_CALL_MS);
  });
  try {
    return await Promise.race([answer, silence]);
  } finally {
    isOver = true;
    clearTimeout(timer);
    // The loser of the race may still fail, and no caller handles its rejection.
    answer.catch(() => undefined);
    silence.catch(() => undefined);
  }
}

/** Connects, or fails after `timeout` milliseconds. */
async function openClient({ address, token, tls, database }: MilvusAccess, timeout: number): Promise<MilvusClient> {
  // The client is loaded here, because loading takes a third of a second, for which users of the embedded store need
  // not wait.
  const { MilvusClient } = await import("@zilliz/milvus2-sdk-node");
  const client = new MilvusClient({
    address,
    timeout,
    ...(token !== undefined && { token }),
    ...(database !== undefined && { database }),
    ...(tls !== undefined && tls !== false && { ssl: true }),
    ...(typeof tls === "string" && { tls: { rootCertPath: tls } }),
    // The client does not retry: the connection does, because it knows how long the caller has waited already.
    maxRetries: 0,
    logLevel: "error",
    telemetry: { enabled: false },
    pool: { min: 1, max: CONNECTIONS },
    // Without a pool of its own, a new client would inherit the back-off of the channel that it replaces, which grows
    // to two minutes.
    channelOptions: {
      "grpc.use_local_subchannel_pool": 1,
      "grpc.max_reconnect_backoff_ms": 1_000,
      // Pings are rare: the connection checks the server by itself, and servers close connections that ping more often.
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

/** Remembers that a server is gone. Then calls fail at once, except for one at a time that checks again. */
function createBreaker() {
  let pause = 0;
  let askAt = 0;
  const wait = () => {
    pause = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, 2 * pause));
    askAt = performance.now() + pause * (0.5 + Math.random() / 2);
  };
  return {
    isOpen: () => pause > 0,
    open: wait,
    close() {
      pause = 0;
    },
    /** Whether this caller may check now; the next one may after another pause. */
    mayAsk(): boolean {
      if (performance.now() < askAt) return false;
      wait();
      return true;
    },
  };
}

/** Runs at most `max` actions at once; further ones wait in a queue. */
function createLine(max: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <T>(action: () => Promise<T>): Promise<T> => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await action();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
