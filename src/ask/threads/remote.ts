import type { Config } from "../../config.js";
import { RecommenderError } from "../../errors.js";
import { coalesce } from "../coalesce.js";
import { createFeedback } from "../feedback.js";
import type { Readiness } from "../ready.js";
import type { AskRequest, SearchRequest } from "../requests.js";
import type { UseCases } from "../use-cases.js";
import { PLACES } from "./places.js";
import type { ThreadFacts } from "./protocol.js";
import type { Team } from "./team.js";

export interface RemoteDeps {
  readonly config: Pick<Config, "feedback" | "data">;
  readonly facts: ThreadFacts;
  readonly readers: Team;
  readonly writer: Team;
  /** Told after each change of the index. */
  readonly onWritten: () => void;
}

/** What a thread answers to `ready`: the checks, and the whole story for the log. */
export interface ThreadReadiness {
  readonly checks: Readiness;
  readonly troubles: readonly Pick<RecommenderError, "code" | "message">[];
}

/**
 * The use cases, answered by threads, so that the main thread is always free to take, refuse and probe. A change is
 * acknowledged when every reader has it: whoever asks next sees it.
 */
export function createRemoteUseCases({ config, facts, readers, writer, onWritten }: RemoteDeps): UseCases {
  const read =
    (name: string) =>
    (...given: unknown[]) => {
      const { args, signal } = withoutSignal(given);
      return readers.call(name, args, signal);
    };
  const write =
    (name: string) =>
    async (...given: unknown[]) => {
      const { args, signal } = withoutSignal(given);
      const answer = await writer.call(name, args, signal);
      await readers.callAll("refresh", ["rows"]);
      onWritten();
      return answer;
    };
  const calls = Object.entries(PLACES).flatMap(([name, place]) =>
    place === "here" ? [] : [[name, place === "reader" ? read(name) : write(name)]],
  );
  const remote = Object.fromEntries(calls) as Omit<UseCases, "labels" | "feedback" | "ready">;
  const feedback = createFeedback({ isOn: config.feedback, folder: config.data, embedder: facts.embedder });
  return {
    ...remote,
    labels: facts.labels,
    feedback,
    recommend: coalesce(async (request: AskRequest, signal: AbortSignal) => {
      const answer = await remote.recommend(request, signal);
      feedback.remember(answer);
      return answer;
    }),
    search: coalesce((request: SearchRequest, signal: AbortSignal) => remote.search(request, signal)),
    // A large one is work for the threads of the writer; readers have none.
    label: (request, signal) =>
      request instanceof Uint8Array ? writer.call("label", [request], signal) : remote.label(request, signal),
    // Whoever watches over the service does not wait for those who ask.
    stats: () => readers.callNow("stats", []),
    async ready(onTrouble = () => {}) {
      const { checks, troubles } = await readers.callNow<ThreadReadiness>("ready", []);
      for (const { code, message } of troubles) onTrouble(new RecommenderError(code, message));
      return checks;
    },
  };
}

function withoutSignal(given: readonly unknown[]): { args: readonly unknown[]; signal?: AbortSignal } {
  const signal = given.at(-1);
  return signal instanceof AbortSignal ? { args: given.slice(0, -1), signal } : { args: given };
}
