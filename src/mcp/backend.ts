import type { UploadAnswer } from "../ask/answers.js";
import type { CallOptions, Client, Problem } from "../ask/client.js";
import type { UploadedFile } from "../ask/inspect-upload.js";
import type { LabelRequest } from "../ask/requests.js";
import type { UseCases } from "../ask/use-cases.js";
import { RecommenderError } from "../errors.js";
import { parseBytes } from "../notebook/formats.js";
import type { NotebookFile } from "../notebook/notebook.js";

/** The result of indexing for an agent. */
export interface IndexOutcome {
  readonly notebooks: number;
  /** Notebooks that were already indexed, if known. */
  readonly unchanged?: number;
  readonly replaced: number;
  readonly cells: number;
  readonly new: number;
  readonly duplicate: number;
  readonly skipped: number;
  readonly rejected: number;
  /** The first rejected files. */
  readonly reasons: readonly { readonly name: string; readonly reason: string }[];
}

export interface IndexOptions {
  readonly source?: string | undefined;
  readonly signal: AbortSignal;
  /** Called after each batch with the number of files so far. */
  readonly onProgress: (files: number, of: number | null) => void;
}

/** Answers an agent's calls: the use cases of this process, or a running service. */
export interface Backend
  extends Pick<
    UseCases,
    | "recommend"
    | "complete"
    | "search"
    | "findSimilar"
    | "label"
    | "stats"
    | "listSources"
    | "upload"
    | "listNotebooks"
    | "getNotebook"
    | "getCell"
    | "deleteNotebook"
    | "forgetSource"
  > {
  /** The label set. */
  labelSet(): Promise<readonly string[]>;
  /** A description of the index or service that answers. */
  place(): Promise<string>;
  /** Indexes files. Only defined for an agent on the user's own machine, because other agents must not read files. */
  indexPaths?(paths: readonly string[], options: IndexOptions): Promise<IndexOutcome>;
}

interface ServiceBackendDeps {
  readonly client: Client;
  /** The URL of the service, for messages. */
  readonly url: string;
}

/** The use cases of a running service. STORE_UNAVAILABLE if it does not answer. */
export function createServiceBackend({ client, url }: ServiceBackendDeps): Required<Omit<Backend, "indexPaths">> {
  const through = async <T>(call: Promise<unknown>): Promise<T> => {
    try {
      return (await call) as T;
    } catch (error) {
      throw toRecommenderError(error, url);
    }
  };
  const during = (signal: AbortSignal | undefined): CallOptions => (signal === undefined ? {} : { signal });
  return {
    recommend: (request, signal) => through(client.recommend(request, during(signal))),
    complete: (request, signal) => through(client.complete(request, during(signal))),
    search: (request, signal) => through(client.search(request, during(signal))),
    findSimilar: (request, signal) => through(client.findSimilar(request, during(signal))),
    label: (request, signal) => through(client.label(request as LabelRequest, during(signal))),
    stats: () => through(client.stats()),
    listSources: () => through(client.listSources()),
    listNotebooks: (request) => through(client.listNotebooks(request as { cursor?: string; limit: number })),
    getNotebook: (id, signal) => through(client.getNotebook(id, during(signal))),
    getCell: (id, page, signal) => through(client.getCell(id, { ...page, ...during(signal) })),
    deleteNotebook: (id) => through(client.deleteNotebook(id)),
    forgetSource: async (name, signal) => {
      const { sources } = await through<Awaited<ReturnType<Client["listSources"]>>>(client.listSources());
      const { id, notebooks } = sources.find(({ source }) => source === name) ?? { id: name, notebooks: 0 };
      await through(client.forgetSource(id, during(signal)));
      return { source: name, removed: notebooks };
    },
    upload: async (files, signal) => {
      const sent: UploadAnswer[] = [];
      for (const file of files) sent.push(await uploadOne(client, file, during(signal)).catch(rethrow(url)));
      const notebooks = sent.flatMap((each) => each.notebooks);
      const rejected = sent.flatMap((each) => each.rejected);
      return { changed: notebooks.some((each) => each.new > 0 || each.replaced), answer: { notebooks, rejected } };
    },
    labelSet: async () => {
      const { labels } = await through<Awaited<ReturnType<Client["countLabels"]>>>(client.countLabels());
      return labels.map(({ label }) => label);
    },
    place: async () => `The service at ${url}`,
  };
}

/** A file that is not a notebook is reported as rejected, and the upload continues. */
async function uploadOne(client: Client, file: UploadedFile, options: CallOptions): Promise<UploadAnswer> {
  const { source, name, format, bytes } = file;
  const parsed = parseBytes(format, bytes);
  if ("rejected" in parsed) return { notebooks: [], rejected: [{ name, reason: parsed.rejected.reason }] };
  try {
    const answer = await client.upload(name, toIpynb(parsed.notebook), {
      ...options,
      ...(source !== undefined && { source }),
    });
    return answer as UploadAnswer;
  } catch (error) {
    const problem = problemOf(error);
    if (problem === undefined || ![413, 422].includes(problem.status)) throw error;
    return { notebooks: [], rejected: [{ name, reason: problem.detail }] };
  }
}

function rethrow(url: string): (error: unknown) => never {
  return (error) => {
    throw toRecommenderError(error, url);
  };
}

function problemOf(error: unknown): Problem | undefined {
  return (error as { problem?: Problem }).problem;
}

/** Passes on the service's own message; a failed connection gets our own message. */
function toRecommenderError(error: unknown, url: string): unknown {
  const problem = problemOf(error);
  if (problem !== undefined) {
    const code = problem.status === 401 || problem.status === 403 ? "UNAUTHORIZED" : "INPUT_INVALID";
    return new RecommenderError(code, problem.detail, { cause: error });
  }
  if (!(error instanceof TypeError)) return error;
  return new RecommenderError("STORE_UNAVAILABLE", `The service at ${url} does not answer; is it running?`, {
    cause: error,
  });
}

/** Advice for an empty index; null if it has cells. */
export async function describeEmpty(backend: Backend): Promise<string | null> {
  const { cells } = await backend.stats();
  if (cells > 0) return null;
  const how = backend.indexPaths === undefined ? "`notebooks`" : "`paths`, a folder of the user's notebooks";
  return `The index is empty: call \`index_notebooks\` with ${how}. Without that tool, ask the user to run celrec index FOLDER.`;
}

/** A notebook as the JSON of an ipynb file, without outputs. */
export function toIpynb({ cells }: NotebookFile): Record<string, unknown> {
  const types = { code: "code", markdown: "markdown", other: "raw" } as const;
  return {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {},
    cells: cells.map(({ type, source }) => ({
      cell_type: types[type],
      metadata: {},
      source,
      ...(type === "code" && { outputs: [], execution_count: null }),
    })),
  };
}
