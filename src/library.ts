import { compose, type Services } from "./app/compose.js";
import type { SimilarAnswer, SourceList } from "./ask/answers.js";
import { indexCorpus } from "./ask/index-corpus.js";
import { DEFAULTS } from "./ask/limits.js";
import { parseInput } from "./ask/parse-input.js";
import { type AskOptions, askRequest, type CompletionOptions, completeRequest } from "./ask/requests.js";
import { readSingleNotebook } from "./ask/similar.js";
import type { CompleteAnswer } from "./complete/completion-request.js";
import { type Config, parseConfig } from "./config.js";
import { createApp as createHttpApp } from "./http/app.js";
import { NO_TOTALS, type Totals } from "./ingest/report.js";
import type { Labelling } from "./label/labeller.js";
import { openPaths } from "./notebook/corpus/open-paths.js";
import type { RecommendAnswer } from "./recommend/recommendation.js";

export interface CelrecOptions {
  /** Folder of the index; `.celrec` by default. */
  readonly data?: string;
  /** Any other setting, under the name of its environment variable; the environment itself is not read. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** An index inside another program. */
export interface Celrec {
  /** Adds and updates notebooks, folders and archives. */
  index(paths: string | readonly string[], options?: { source?: string; signal?: AbortSignal }): Promise<Totals>;
  /** Recommends stored cells for the code so far. */
  recommend(code: string, options?: AskOptions, signal?: AbortSignal): Promise<RecommendAnswer>;
  /** Continues `prefix`: the most probable completion first, or none. */
  complete(prefix: string, options?: CompletionOptions, signal?: AbortSignal): Promise<CompleteAnswer>;
  /** The stored notebooks most like the notebook file at `path`. */
  similar(path: string, options?: { k?: number }, signal?: AbortSignal): Promise<SimilarAnswer>;
  /** The sources in the index. */
  sources(): Promise<SourceList["sources"]>;
  /** Removes a source, by its name or id, with all its notebooks. */
  forget(source: string, signal?: AbortSignal): Promise<{ source: string; removed: number }>;
  /** The tasks that a cell does. */
  label(
    code: string,
    options?: { partial?: boolean },
  ): Promise<Pick<Labelling, "primary" | "labels" | "probabilities">>;
  /** The parts: store, embedder, labeller, use cases. */
  readonly services: Services;
  close(): Promise<void>;
}

/** The dependencies of the REST service. `Services` has the configuration and the use cases. */
export interface AppOptions extends Pick<Services, "ask"> {
  readonly config: Pick<Config, "token" | "tokensFile" | "host" | "hosts" | "origins" | "rate" | "feedback">;
  /** A logger such as pino's. */
  readonly logger: {
    info(values: object, message: string): void;
    error(values: object, message: string): void;
  };
}

/**
 * A listener for `http.createServer`. Its parameters are Node's; naming them would make every user need Node's types.
 */
export type AppListener = (request: object, response: object) => void;

/**
 * The REST service as a listener; it opens no port.
 * @example
 * const { services } = await openCelrec();
 * createServer(createApp({ ...services, logger: pino() })).listen(8787);
 */
export function createApp({ config, ask, logger }: AppOptions): AppListener {
  return createHttpApp({ config, ask, logger }) as AppListener;
}

/**
 * Opens an index, or creates one.
 * @example
 * const celrec = await openCelrec({ data: "my-index" });
 * await celrec.index("notebooks");
 * const { recommendations } = await celrec.recommend("df = pd.read_", { k: 5 });
 * await celrec.close();
 */
export async function openCelrec({ data, settings = {} }: CelrecOptions = {}): Promise<Celrec> {
  const config = parseConfig({ ...settings, ...(data !== undefined && { CELREC_DATA: data }) });
  const services = await compose(config, { activity: "a program that uses celrec", hold: "call" });
  const { ask, workers } = services;
  return {
    services,
    async index(paths, { source, signal } = {}) {
      const opened = await openPaths([paths].flat(), source === undefined ? {} : { source });
      const result = await indexCorpus(opened, services, { signal });
      return result?.totals ?? NO_TOTALS;
    },
    recommend: async (code, options = {}, signal) =>
      ask.recommend(parseInput(askRequest, { ...options, code }), signal),
    complete: async (prefix, options = {}, signal) =>
      ask.complete(parseInput(completeRequest, { ...options, prefix }), signal),
    async similar(path, { k = DEFAULTS.similar } = {}, signal) {
      const { id, ...notebook } = await readSingleNotebook(path, workers);
      return ask.findSimilarTo({ ...notebook, exclude: [id] }, k, signal);
    },
    sources: async () => (await ask.listSources()).sources,
    forget: ask.forgetSource,
    async label(code, { partial = false } = {}) {
      const answer = await ask.label({ code, partial });
      if ("cells" in answer) throw new Error("expected the labels of one cell");
      return answer;
    },
    close: () => services.close(),
  };
}
