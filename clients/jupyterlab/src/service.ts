import { URLExt } from "@jupyterlab/coreutils";
import { ServerConnection } from "@jupyterlab/services";

export interface Question {
  readonly code: string;
  readonly k: number;
  readonly context: {
    readonly before?: readonly string[];
    readonly markdown?: string;
    readonly variables?: Readonly<Record<string, string>>;
  };
  readonly exclude?: { readonly notebooks: readonly { readonly source: string; readonly path: string }[] };
}

export interface Recommendation {
  readonly rank: number;
  readonly code: string;
  readonly matched: readonly { readonly start: number; readonly end: number }[];
  readonly continuesLine: boolean;
  readonly excerpt: readonly { readonly line: number; readonly text: string }[];
  readonly adapted: {
    readonly code: string;
    readonly insert: string;
    readonly renamed: Readonly<Record<string, string>>;
  };
  readonly confidence: number | null;
  readonly labels: readonly string[];
  readonly occurrences: number;
  readonly notebook: Origin;
}

export interface Origin {
  readonly id: string;
  readonly source: string;
  readonly name: string;
  readonly cellIndex: number;
  readonly location?: string;
  readonly title?: string;
  readonly author?: string;
  readonly licence?: string;
}

export interface Answer {
  readonly id: string;
  readonly mode: "similar" | "complete" | "next";
  readonly query: { readonly primary: string | null };
  readonly recommendations: readonly Recommendation[];
}

export interface LabelledCell {
  readonly index: number;
  readonly primary: string | null;
  readonly labels: readonly { readonly label: string; readonly probability: number }[];
  readonly probabilities: Readonly<Record<string, number>>;
}

export interface StoredNotebook {
  readonly name: string;
  readonly source: string;
  readonly cells: readonly { readonly cellIndex: number; readonly code: string }[];
}

export type FeedbackEvent = "shown" | "accepted" | "edited" | "dismissed";

/** Where the service is, as the Jupyter server tells it; the token stays there. */
export interface Connection {
  readonly where: "here" | "elsewhere";
  readonly url: string | null;
  readonly hasToken: boolean;
  readonly problem: string | null;
}

/** The source of the notebooks that this extension puts into the index. */
export const SOURCE = "jupyter";

export type Service = ReturnType<typeof createService>;

/** The service under `/celrec/` of the Jupyter server, which adds what it needs to be let in. */
export function createService(settings: ServerConnection.ISettings) {
  async function call<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    const response = await ServerConnection.makeRequest(
      URLExt.join(settings.baseUrl, path),
      {
        method,
        // JupyterLab puts a number behind the URL of what is not to be stored, and the service knows no such field.
        cache: "no-cache",
        ...(body !== undefined && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
        ...(signal !== undefined && { signal }),
      },
      settings,
    );
    const text = await response.text();
    if (response.ok) return (text === "" ? undefined : JSON.parse(text)) as T;
    throw new Error(readDetail(text) ?? `The service answered ${response.status} ${response.statusText}.`);
  }

  return {
    recommend: (question: Question, signal: AbortSignal) =>
      call<Answer>("POST", "celrec/v1/recommendations", question, signal),
    label: async (notebook: unknown) =>
      (await call<{ cells: readonly LabelledCell[] }>("POST", "celrec/v1/labels", { notebook })).cells,
    upload: (name: string, notebook: unknown) =>
      call<{ notebooks: readonly { cells: number; new: number }[]; rejected: readonly { reason: string }[] }>(
        "POST",
        `celrec/v1/notebooks?${new URLSearchParams({ source: SOURCE, name })}`,
        notebook,
      ),
    getNotebook: (id: string) => call<StoredNotebook>("GET", `celrec/v1/notebooks/${id}`),
    feedback: (recommendation: string, rank: number, event: FeedbackEvent) =>
      call<void>("POST", "celrec/v1/feedback", { recommendation, rank, event }),
    stats: () => call<{ cells: number; notebooks: number }>("GET", "celrec/v1/stats"),
    connection: () => call<Connection>("GET", "celrec-jupyterlab/connection"),
    connect: (url: string, token: string) => call<Connection>("PUT", "celrec-jupyterlab/connection", { url, token }),
    disconnect: () => call<Connection>("DELETE", "celrec-jupyterlab/connection"),
  };
}

/** What the service or Jupyter says of an error. */
function readDetail(text: string): string | undefined {
  try {
    const problem = JSON.parse(text) as { detail?: string; reason?: string; message?: string };
    return problem.detail ?? problem.reason ?? problem.message;
  } catch {
    return undefined;
  }
}
