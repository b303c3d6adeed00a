import { connect } from "node:net";
import { createRandom } from "../../src/evaluate/statistics/bootstrap.js";
import { createFuzzer, type FuzzedRequest } from "./service-requests.js";

interface FuzzOptions {
  readonly port: number;
  readonly requests: number;
  readonly seed?: number;
  readonly connections?: number;
  readonly onProgress?: (done: number) => void;
}

interface FuzzReport {
  /**
   * Number of answers by status. 0 means a connection closed without an answer, which is correct for a half-sent
   * request.
   */
  readonly statuses: Readonly<Record<string, number>>;
  /** Answers that the API does not allow, and timeouts. */
  readonly faults: readonly string[];
  readonly slowestMs: number;
}

const ANSWER_TIMEOUT_MS = 5_000;
/** Timeout of the client for unfinished requests; real answers arrive much earlier. */
const HANG_UP_MS = 2_500;
const MAX_FAULTS = 20;

/** Sends malformed requests of all kinds. Every answer must be 2xx, or 4xx with a problem document. */
export async function fuzzService({
  port,
  requests,
  seed = 1,
  connections = 16,
  onProgress = () => {},
}: FuzzOptions): Promise<FuzzReport> {
  const next = createFuzzer(createRandom(seed));
  const statuses: Record<string, number> = {};
  const faults: string[] = [];
  let slowestMs = 0;
  let sent = 0;
  const work = async () => {
    while (sent < requests && faults.length < MAX_FAULTS) {
      sent += 1;
      const request = next();
      const start = performance.now();
      const answer = await sendRequest(port, request);
      slowestMs = Math.max(slowestMs, performance.now() - start);
      const fault = findFault(answer);
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      if (fault !== null) faults.push(`${fault}: ${request.about}`);
      if (sent % 1_000 === 0) onProgress(sent);
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  return { statuses, faults, slowestMs };
}

interface RawAnswer {
  readonly status: number;
  readonly type: string;
  readonly isLate: boolean;
}

/** The first answer that comes, if any does before the connection ends. */
function sendRequest(port: number, { bytes }: FuzzedRequest): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let isLate = false;
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: false });
    const timer = setTimeout(() => {
      isLate = true;
      socket.destroy();
    }, ANSWER_TIMEOUT_MS);
    const hangUp = setTimeout(() => socket.end(), HANG_UP_MS);
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(timer);
      clearTimeout(hangUp);
      // Drops the interim response.
      const text = Buffer.concat(chunks)
        .toString("latin1")
        .replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, "");
      const [head = ""] = text.split("\r\n\r\n");
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0);
      const type = /^content-type: ([^;\r]+)/im.exec(head)?.[1] ?? "";
      resolve({ status, type, isLate });
    });
    socket.write(bytes);
  });
}

function findFault({ status, type, isLate }: RawAnswer): string | null {
  if (isLate) return `no answer within ${ANSWER_TIMEOUT_MS / 1000} s`;
  if (status === 0 || (status >= 200 && status < 300)) return null;
  // 304 Not Modified is allowed.
  if (status === 304) return null;
  if (status < 400 || status > 499) return `answered ${status}`;
  return type === "application/problem+json" ? null : `${status} came as ${type || "nothing"}`;
}
