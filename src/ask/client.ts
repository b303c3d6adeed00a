import type { z } from "zod";
import type {
  cellAnswer,
  completeAnswer,
  feedbackSummary,
  labelAnswer,
  labelCountsAnswer,
  markdownAnswer,
  notebookAnswer,
  notebookList,
  recommendAnswer,
  searchAnswer,
  similarAnswer,
  sourceList,
  statsAnswer,
  uploadAnswer,
} from "./answers.js";
import type {
  askRequest,
  completeRequest,
  feedbackRequest,
  labelRequest,
  searchRequest,
  similarRequest,
} from "./requests.js";

interface ClientOptions {
  /** Base URL of the service, such as `http://127.0.0.1:8787`, including the path of a proxy if there is one. */
  readonly url: string;
  readonly token?: string;
  /** Another `fetch`, for tests or old browsers. */
  readonly fetch?: typeof globalThis.fetch;
}

export interface CallOptions {
  /** Aborting it cancels the work in the service, too. */
  readonly signal?: AbortSignal;
}

/** The body of an error answer (RFC 9457). */
export interface Problem {
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly requestId: string;
  readonly errors?: readonly { readonly pointer: string; readonly message: string }[];
}

/** The error of a call that the service refused. */
export type ProblemError = Error & {
  readonly problem: Problem;
  /** Seconds to wait before the next try, if the service says so (429, 503). */
  readonly retryAfter?: number;
};

type Question = z.input<typeof askRequest>;
export type Answer = z.output<typeof recommendAnswer>;
export type Recommendation = Answer["recommendations"][number];

type Query = Readonly<Record<string, string | number | undefined>>;

/**
 * A client of the REST service that runs in Node and in browsers.
 * @example
 * const celrec = createClient({ url: "http://127.0.0.1:8787" });
 * const { recommendations } = await celrec.recommend({ code: "df = pd.read_csv(", mode: "complete" });
 */
export function createClient({ url, token, fetch = globalThis.fetch }: ClientOptions) {
  const base = url.replace(/\/+$/, "");

  async function call<T>(method: string, path: string, query: Query, body: unknown, options: CallOptions): Promise<T> {
    const search = new URLSearchParams(
      Object.entries(query).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)] as [string, string]],
      ),
    );
    const isForm = body instanceof FormData;
    const response = await fetch(`${base}${path}${search.size === 0 ? "" : `?${search}`}`, {
      method,
      headers: {
        // fetch sets the content type of a form itself, with its boundary.
        ...(body !== undefined && !isForm && { "content-type": "application/json" }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      ...(options.signal !== undefined && { signal: options.signal }),
    });
    if (response.status === 204) return undefined as T;
    const isJson = (response.headers.get("content-type") ?? "").includes("json");
    const answer: unknown = isJson ? await response.json() : await response.text();
    if (response.ok && isJson) return answer as T;
    throw toError(isProblem(answer) ? answer : unknownProblem(response, answer), response.headers.get("retry-after"));
  }

  return {
    recommend: (question: Question, options: CallOptions = {}) =>
      call<Answer>("POST", "/v1/recommendations", {}, question, options),
    /** Completes the text at the cursor. */
    complete: (request: z.input<typeof completeRequest>, options: CallOptions = {}) =>
      call<z.output<typeof completeAnswer>>("POST", "/v1/completions", {}, request, options),
    /** Searches cells by words. */
    search: (request: z.input<typeof searchRequest>, options: CallOptions = {}) =>
      call<z.output<typeof searchAnswer>>("POST", "/v1/search", {}, request, options),
    /** The stored notebooks most similar to a given one. */
    findSimilar: (request: z.input<typeof similarRequest>, options: CallOptions = {}) =>
      call<z.output<typeof similarAnswer>>("POST", "/v1/similar-notebooks", {}, request, options),
    listSources: (options: CallOptions = {}) =>
      call<z.output<typeof sourceList>>("GET", "/v1/sources", {}, undefined, options),
    /** Removes a source, by its id, with all its notebooks. */
    forgetSource: (id: string, options: CallOptions = {}) =>
      call<void>("DELETE", pathOf("sources", id), {}, undefined, options),
    feedback: (event: z.input<typeof feedbackRequest>, options: CallOptions = {}) =>
      call<void>("POST", "/v1/feedback", {}, event, options),
    feedbackSummary: (options: CallOptions = {}) =>
      call<z.output<typeof feedbackSummary>>("GET", "/v1/feedback/summary", {}, undefined, options),
    label: (request: z.input<typeof labelRequest>, options: CallOptions = {}) =>
      call<z.output<typeof labelAnswer>>("POST", "/v1/labels", {}, request, options),
    /** `notebook` is the JSON of an ipynb file. */
    upload: (
      name: string,
      notebook: unknown,
      { source, ...options }: CallOptions & { readonly source?: string } = {},
    ) => call<z.output<typeof uploadAnswer>>("POST", "/v1/notebooks", { name, source }, notebook, options),
    /** Uploads notebook and script files (`.ipynb`, `.py`) under their own names. */
    uploadFiles: (files: readonly File[], { source, ...options }: CallOptions & { readonly source?: string } = {}) => {
      const form = new FormData();
      for (const file of files) form.append("file", file, file.name);
      return call<z.output<typeof uploadAnswer>>("POST", "/v1/notebooks", { source }, form, options);
    },
    listNotebooks: ({
      cursor,
      limit,
      ...options
    }: CallOptions & { readonly cursor?: string; readonly limit?: number } = {}) =>
      call<z.output<typeof notebookList>>("GET", "/v1/notebooks", { cursor, limit }, undefined, options),
    getNotebook: (id: string, options: CallOptions = {}) =>
      call<z.output<typeof notebookAnswer>>("GET", pathOf("notebooks", id), {}, undefined, options),
    /** The Markdown of a notebook whose file is on the machine of the service. */
    getMarkdown: (id: string, options: CallOptions = {}) =>
      call<z.output<typeof markdownAnswer>>("GET", `${pathOf("notebooks", id)}/markdown`, {}, undefined, options),
    deleteNotebook: (id: string, options: CallOptions = {}) =>
      call<void>("DELETE", pathOf("notebooks", id), {}, undefined, options),
    getCell: (
      id: string,
      { offset, limit, ...options }: CallOptions & { readonly offset?: number; readonly limit?: number } = {},
    ) => call<z.output<typeof cellAnswer>>("GET", pathOf("cells", id), { offset, limit }, undefined, options),
    countLabels: (options: CallOptions = {}) =>
      call<z.output<typeof labelCountsAnswer>>("GET", "/v1/labels", {}, undefined, options),
    stats: (options: CallOptions = {}) =>
      call<z.output<typeof statsAnswer>>("GET", "/v1/stats", {}, undefined, options),
    /** Empties the index. */
    clear: (options: CallOptions = {}) => call<void>("DELETE", "/v1/index", {}, undefined, options),
    health: (options: CallOptions = {}) => call<{ status: "ok" }>("GET", "/healthz", {}, undefined, options),
    /** Rejects if the store or the model cannot answer, or while the service is stopping. */
    ready: (options: CallOptions = {}) =>
      call<{ status: string; store: string; model: string }>("GET", "/readyz", {}, undefined, options),
  };
}

export type Client = ReturnType<typeof createClient>;

/** Percent-encodes an id, so that `../index` cannot lead to another route. */
function pathOf(kind: string, id: string): string {
  return `/v1/${kind}/${encodeURIComponent(id)}`;
}

function toError(problem: Problem, retryAfter: string | null): ProblemError {
  const seconds = /^\d+$/.test(retryAfter ?? "") ? { retryAfter: Number(retryAfter) } : {};
  return Object.assign(new Error(problem.detail), { problem, ...seconds });
}

function isProblem(answer: unknown): answer is Problem {
  return typeof (answer as Partial<Problem> | null)?.detail === "string";
}

/** The error for an answer without a problem document, from a proxy or `/readyz`. */
function unknownProblem({ status, statusText }: Response, answer: unknown): Problem {
  const { status: state, store, model } = (answer ?? {}) as { status?: unknown; store?: unknown; model?: unknown };
  const detail =
    typeof store === "string"
      ? `The service is ${state}: store ${store}, model ${model}.`
      : `The service answered ${status} ${statusText}.`;
  return { title: statusText, status, detail, requestId: "" };
}
