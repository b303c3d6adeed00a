import { URLExt } from "@jupyterlab/coreutils";
import { ServerConnection } from "@jupyterlab/services";
import {
  type Answer,
  type CompletionAnswer,
  type CompletionQuestion,
  type Connection,
  type FeedbackEvent,
  type LabelledCell,
  type Question,
  SOURCE,
  type StoredNotebook,
} from "./answers.js";

interface StoredName {
  readonly id: string;
  readonly source: string;
  readonly name: string;
}

export type Service = ReturnType<typeof createService>;

/** The service behind `/celrec/` of the Jupyter server, which adds the token. */
export function createService(settings: ServerConnection.ISettings) {
  async function call<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    const response = await reach(
      URLExt.join(settings.baseUrl, path),
      {
        method,
        // JupyterLab appends a number to URLs that must not be cached. The service would reject that parameter.
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
    complete: (question: CompletionQuestion, signal: AbortSignal) =>
      call<CompletionAnswer>("POST", "celrec/v1/completions", question, signal),
    label: async (notebook: unknown) =>
      (await call<{ cells: readonly LabelledCell[] }>("POST", "celrec/v1/labels", { notebook })).cells,
    upload: (name: string, notebook: unknown) =>
      call<{ notebooks: readonly { cells: number; new: number }[]; rejected: readonly { reason: string }[] }>(
        "POST",
        `celrec/v1/notebooks?${new URLSearchParams({ source: SOURCE, name })}`,
        notebook,
      ),
    /** All stored notebooks, without their cells. */
    async listNotebooks(): Promise<StoredName[]> {
      const found: StoredName[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const page: { notebooks: StoredName[]; cursor: string | null } = await call(
          "GET",
          `celrec/v1/notebooks?${new URLSearchParams({ limit: "1000", ...(cursor !== "" && { cursor }) })}`,
        );
        found.push(...page.notebooks);
        cursor = page.cursor;
      }
      return found;
    },
    deleteNotebook: (id: string) => call<void>("DELETE", `celrec/v1/notebooks/${id}`),
    listSources: async () =>
      (await call<{ sources: { id: string; source: string; notebooks: number }[] }>("GET", "celrec/v1/sources"))
        .sources,
    forgetSource: (id: string) => call<void>("DELETE", `celrec/v1/sources/${id}`),
    getNotebook: (id: string) => call<StoredNotebook>("GET", `celrec/v1/notebooks/${id}`),
    feedback: (recommendation: string, rank: number, event: FeedbackEvent) =>
      call<void>("POST", "celrec/v1/feedback", { recommendation, rank, event }),
    stats: () => call<{ cells: number; notebooks: number }>("GET", "celrec/v1/stats"),
    connection: () => call<Connection>("GET", "celrec-jupyterlab/connection"),
    /** Without a token, the previous one is kept if the URL is the same. */
    connect: (url: string, token: string) =>
      call<Connection>("PUT", "celrec-jupyterlab/connection", { url, ...(token !== "" && { token }) }),
    disconnect: () => call<Connection>("DELETE", "celrec-jupyterlab/connection"),
  };
}

/** Browsers only report "Failed to fetch". */
async function reach(...request: Parameters<typeof ServerConnection.makeRequest>): Promise<Response> {
  try {
    return await ServerConnection.makeRequest(...request);
  } catch (cause) {
    if (!(cause instanceof ServerConnection.NetworkError)) throw cause;
    throw new Error("The Jupyter server does not answer. Check that it is running and that you are online.", { cause });
  }
}

/** The error message of the service or of Jupyter. */
function readDetail(text: string): string | undefined {
  try {
    const problem = JSON.parse(text) as { detail?: string; reason?: string; message?: string };
    return problem.detail ?? problem.reason ?? problem.message;
  } catch {
    return undefined;
  }
}
