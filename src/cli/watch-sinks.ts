import type { Services } from "../app/compose.js";
import { indexCorpus } from "../ask/index-corpus.js";
import { RecommenderError } from "../errors.js";
import { ingestCorpus } from "../ingest/ingest-corpus.js";
import { idOf } from "../ingest/screen.js";
import type { CorpusItem, OpenedCorpus } from "../notebook/corpus/entry.js";
import { describeAlone } from "../notebook/corpus/folder.js";
import { notebookId } from "../notebook/extract.js";
import { readListedFile } from "../notebook/file-system.js";
import { formatOf, parseBytes } from "../notebook/formats.js";
import { asOneLine, describeSkipped, type Output } from "./output.js";
import { createIndexProgress } from "./progress.js";

interface LocalSinkDeps {
  readonly opened: OpenedCorpus;
  readonly services: Services;
  readonly output: Output;
  readonly signal: AbortSignal;
  /** Whether deleted notebooks are removed from the index. */
  readonly prune: boolean;
}

/** Writes to the local index. */
export function createLocalSink({ opened, services, output, signal, prune }: LocalSinkDeps): Sink {
  const { store, workers } = services;
  return {
    async sync() {
      const progress = createIndexProgress(output, false);
      const result = await indexCorpus(opened, services, { prune, signal, progress });
      if (result === null || signal.aborted) return;
      const { totals, rejections, pruned } = result;
      output.line(`${totals.notebooks} notebooks (${totals.unchanged} unchanged), ${totals.cells} cells`);
      for (const { name, reason } of rejections.first) output.note(asOneLine(`${name}: ${reason}`));
      if (rejections.count > rejections.first.length)
        output.note(`All rejected files are listed in ${rejections.file}.`);
      const skipped = opened.skipped();
      if (skipped.length > 0) output.note(describeSkipped(skipped));
      if (pruned !== null && pruned > 0) output.line(`removed ${pruned} notebooks that no longer exist`);
    },
    async put(files) {
      const corpus = async function* () {
        for (const { source, path, file } of files) yield await describeAlone(source, path, file);
      };
      const outcomes = new Map<string, Outcome>();
      const steps = ingestCorpus(corpus(), { store, workers }, { signal });
      for await (const { reports, rejected, passedOver } of steps) {
        for (const id of passedOver) outcomes.set(id, "no notebook");
        for (const { id, cells, unchanged } of reports) outcomes.set(id, { cells, unchanged });
        for (const { source, name, kind, reason } of rejected)
          outcomes.set(notebookId(name, source), { reason, isHalf: kind === "not-json" });
      }
      signal.throwIfAborted();
      return files.map((file) => outcomes.get(idOf(file))!);
    },
    remove: ({ path, source }) => store.remove(notebookId(path, source)),
    close: () => services.close(),
  };
}

/** A notebook in a watched folder, with the same source and path as `celrec index FOLDER` assigns. */
export interface WatchedFile {
  readonly file: string;
  readonly source: string;
  readonly path: string;
}

/** The result for a file. `isHalf` means that it may be half written. */
type Outcome =
  | "no notebook"
  | { readonly cells: number; readonly unchanged: boolean }
  | { readonly reason: string; readonly isHalf: boolean };

/** The destination of watched notebooks: an index or a service. */
export interface Sink {
  /** Indexes the whole folders. */
  sync(): Promise<void>;
  /** One outcome per file, in the same order. */
  put(files: readonly WatchedFile[]): Promise<Outcome[]>;
  /** Removes a notebook; false if it was not in the index. */
  remove(file: WatchedFile): Promise<boolean>;
  close(): Promise<void>;
}

interface RemoteSinkDeps {
  readonly opened: OpenedCorpus;
  /** The base URL of the service. */
  readonly url: string;
  readonly token: string | undefined;
  readonly output: Output;
  readonly signal: AbortSignal;
}

interface Uploaded {
  readonly notebooks: readonly { readonly cells: number }[];
}

const [UNCHANGED, NOT_JSON, NOT_FOUND, TOO_LARGE, NOT_A_NOTEBOOK] = [200, 400, 404, 413, 422];
const MB = 2 ** 20;

/** Uploads each notebook to a service. */
export function createRemoteSink({ opened, url, token, output, signal }: RemoteSinkDeps): Sink {
  const base = url.replace(/\/+$/, "");
  const call = async (method: string, path: string, body?: FormData): Promise<Response> => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    try {
      return await fetch(`${base}${path}`, { method, headers, signal, ...(body !== undefined && { body }) });
    } catch (cause) {
      if (signal.aborted) throw signal.reason;
      throw new RecommenderError("STORE_UNAVAILABLE", `No service answers at ${base}; is it running?`, { cause });
    }
  };

  const putOne = async ({ file, source, path }: WatchedFile): Promise<Outcome> => {
    const content = readListedFile(file, 25 * MB);
    if ("rejected" in content) return { reason: content.rejected.reason, isHalf: false };
    if (isPlainScript(path, content.bytes)) return "no notebook";
    const form = new FormData();
    form.append("file", new Blob([content.bytes]), path);
    const response = await call("POST", `/v1/notebooks?${new URLSearchParams({ source })}`, form);
    const answer = (await response.json()) as Uploaded & { readonly detail?: string };
    if (response.ok) return { cells: answer.notebooks[0]!.cells, unchanged: response.status === UNCHANGED };
    if (![NOT_JSON, TOO_LARGE, NOT_A_NOTEBOOK].includes(response.status))
      throw uploadRefused(base, response, answer.detail);
    // The caller names the file as well.
    const reason = (answer.detail ?? "").replace(`${path}: `, "");
    return { reason, isHalf: response.status === NOT_JSON };
  };
  /** One upload at a time, which leaves the service time for other clients. */
  const put: Sink["put"] = async (files) => {
    const outcomes: Outcome[] = [];
    for (const file of files) outcomes.push(await putOne(file));
    return outcomes;
  };

  return {
    // Nothing is removed: another machine may upload a folder with the same path.
    async sync() {
      let [notebooks, changed] = [0, 0];
      for await (const found of opened.corpus) {
        if (signal.aborted) return;
        const outcome = await putFound(found, putOne);
        if (outcome === "no notebook") continue;
        if ("reason" in outcome) output.note(asOneLine(`${found.path}: ${outcome.reason}`));
        else {
          notebooks += 1;
          changed += Number(!outcome.unchanged);
        }
      }
      output.note(`${notebooks} notebooks are at ${base}, ${changed} of them new or changed.`);
    },
    put,
    async remove({ path, source }) {
      const response = await call("DELETE", `/v1/notebooks/${notebookId(path, source)}`);
      if (!response.ok && response.status !== NOT_FOUND) throw uploadRefused(base, response, await response.text());
      return response.ok;
    },
    close: async () => {},
  };
}

async function putFound(found: CorpusItem, put: (file: WatchedFile) => Promise<Outcome>): Promise<Outcome> {
  if ("rejected" in found) return { reason: found.rejected.reason, isHalf: false };
  const file = found.facts.location;
  if (file === undefined) return { reason: "its name is not UTF-8, so it cannot be uploaded", isHalf: false };
  return put({ file, source: found.source, path: found.path });
}

/** Scripts without cells are skipped silently, because most scripts in a folder are modules. */
function isPlainScript(path: string, bytes: Uint8Array): boolean {
  if (formatOf(path) !== "script") return false;
  const parsed = parseBytes("script", bytes);
  return "rejected" in parsed && parsed.rejected.kind === "plain-script";
}

function uploadRefused(base: string, { status }: Response, detail = ""): RecommenderError {
  const isBusy = status === 503 || status === 429;
  return new RecommenderError(isBusy ? "INDEX_LOCKED" : "STORE_UNAVAILABLE", `${base} answered ${status}: ${detail}`);
}
