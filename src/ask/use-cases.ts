import type { CompleteAnswer } from "../complete/completion-request.js";
import type { Config } from "../config.js";
import { RecommenderError } from "../errors.js";
import type { Mode } from "../recommend/recommendation.js";
import { presetDefaults } from "../recommend/request.js";
import { createFeedback } from "./feedback.js";
import type { ExpectingRequest } from "./find-cells.js";
import type { Operations, Readiness } from "./operations.js";
import type { AskRequest, CompletionRequest, SearchRequest } from "./requests.js";

/** The use cases that REST, the command line and agents call. */
export type UseCases = ReturnType<typeof createUseCases>;

interface UseCasesDeps {
  readonly operations: Operations;
  /** The label set. */
  readonly labels: readonly string[];
  /** The embedder's id. */
  readonly embedder: string;
  readonly config: Pick<Config, "feedback" | "data" | "preset">;
}

/** The use cases for one process. Only here are equal requests coalesced and answers remembered for feedback. */
export function createUseCases({ operations, labels, embedder, config }: UseCasesDeps) {
  const feedback = createFeedback({ isOn: config.feedback, folder: config.data, embedder });
  const expect = createExpect(operations.complete, presetDefaults(config.preset).mode);
  return {
    ...operations,
    labels,
    feedback,
    recommend: coalesce(async (request: AskRequest, signal: AbortSignal) => {
      const answer = await operations.recommend(await expect(request, signal), signal);
      feedback.remember(answer);
      return answer;
    }),
    recommendJson: coalesce(async (request: AskRequest, signal: AbortSignal) => {
      const answer = await operations.recommendJson(await expect(request, signal), signal);
      feedback.remember(answer.shown);
      return answer;
    }),
    async complete(request: CompletionRequest, signal?: AbortSignal): Promise<CompleteAnswer> {
      const answer = await operations.complete(request, signal);
      const shown = answer.completions.map(({ confidence }, at) => ({ rank: at + 1, confidence, labels: [] }));
      feedback.remember({ id: answer.id, mode: "cursor", recommendations: shown });
      return answer;
    },
    search: coalesce((request: SearchRequest, signal: AbortSignal) => operations.search(request, signal)),
    async ready(onProblem: (error: RecommenderError) => void = () => {}): Promise<Readiness> {
      const { checks, problems } = await operations.ready();
      for (const { code, message } of problems) onProblem(new RecommenderError(code, message));
      return checks;
    },
  };
}

/** Work that several callers wait for. */
interface Shared<T> {
  readonly promise: Promise<T>;
  readonly stop: AbortController;
  waiting: number;
}

/**
 * Runs the work once for equal concurrent requests. The work is aborted when no caller is waiting any more. A caller
 * that aborts gets the reason of its own signal.
 */
export function coalesce<R, T>(
  work: (request: R, signal: AbortSignal) => Promise<T>,
): (request: R, signal?: AbortSignal) => Promise<T> {
  const running = new Map<string, Shared<T>>();

  const join = (request: R): [string, Shared<T>] => {
    const key = JSON.stringify(request);
    const found = running.get(key);
    if (found !== undefined) return [key, found];
    const stop = new AbortController();
    const shared = { promise: work(request, stop.signal), stop, waiting: 0 };
    running.set(key, shared);
    const forget = () => {
      if (running.get(key) === shared) running.delete(key);
    };
    shared.promise.then(forget, forget);
    return [key, shared];
  };

  return async (request, signal) => {
    signal?.throwIfAborted();
    const [key, shared] = join(request);
    shared.waiting += 1;
    let onAbort = () => {};
    const whenAborted = new Promise<null>((resolve) => {
      onAbort = () => resolve(null);
    });
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      const answer = await Promise.race([shared.promise.then((value) => ({ value })), whenAborted]);
      if (answer !== null) return answer.value;
    } finally {
      signal?.removeEventListener("abort", onAbort);
      shared.waiting -= 1;
    }
    if (shared.waiting === 0) {
      running.delete(key);
      shared.stop.abort();
      shared.promise.catch(() => {});
    }
    throw signal!.reason;
  };
}

/** Maximum number of expected lines. */
const EXPECTED_LINES = 10;

/** Milliseconds that a recommendation waits for the completer, which may be learning a new index. */
const MAX_WAIT_MS = 1_000;

/**
 * Asks the completer for the probable first lines of an empty cell, so the recommender can look for cells with these
 * lines. Lines that the notebook already has are left out.
 */
export function createExpect(complete: Operations["complete"], defaultMode: Mode, maxWait = MAX_WAIT_MS) {
  return async (request: AskRequest, signal: AbortSignal): Promise<ExpectingRequest> => {
    const { mode = defaultMode, context } = request;
    const isNext = "code" in request && request.code.trim() === "" && (mode === "next" || mode === "auto");
    if (!isNext || context?.before === undefined || context.before.length === 0) return request;
    const { before, markdown, variables } = context;
    const around = { before, ...(markdown !== undefined && { markdown }), ...(variables && { variables }) };
    const tooLate = AbortSignal.timeout(maxWait);
    const question = { prefix: "", k: EXPECTED_LINES, maxLines: 1, context: around };
    const answer = await complete(question, AbortSignal.any([signal, tooLate])).catch((error: unknown) => {
      signal.throwIfAborted();
      if (!tooLate.aborted) throw error;
      return null;
    });
    if (answer === null) return request;
    const there = new Set(before.flatMap((cell) => cell.split("\n").map((line) => line.trim())));
    const lines = answer.completions.filter(({ kind, text }) => kind !== "token" && !there.has(text));
    return { ...request, expected: lines.map(({ text, confidence }) => ({ text, confidence })) };
  };
}
