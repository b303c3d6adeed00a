import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { createClient } from "../client/client.js";
import type { Services } from "../compose.js";
import { RecommenderError } from "../errors.js";
import { LABELS } from "../label/labels.js";
import type { Backend, IndexOptions, IndexOutcome } from "../mcp/backend.js";
import { createServiceBackend } from "../mcp/service-backend.js";
import { openPaths } from "../notebook/corpus/open-paths.js";
import type { Context } from "./context.js";
import { indexCorpus } from "./index-corpus.js";
import { readServiceNote } from "./service-note.js";
import { uploadPaths } from "./upload-paths.js";

export interface AgentBackend extends Required<Backend> {
  close(): Promise<void>;
}

type Asked = Omit<Backend, "indexPaths">;

const ACTIVITY = "celrec mcp";
/** A service that does not say that it lives within this is not asked. */
const PROBE_MS = 2_000;

/** Who answers an agent on this machine: the service that is set, the one that serves the index, or the index itself. */
export function createAgentBackend({ config, open }: Pick<Context, "config" | "open">): AgentBackend {
  const connect = (url: string): Asked => {
    const { token } = config;
    return createServiceBackend({ url, client: createClient({ url, ...(token !== undefined && { token }) }) });
  };
  return config.url === undefined ? createFinding({ config, open }, connect) : createFixed(connect(config.url));
}

function createFixed(service: Asked): AgentBackend {
  return {
    ...service,
    indexPaths: (paths, options) => uploadPaths(service.upload, paths, options),
    close: async () => {},
  };
}

/** Services come and go while an agent works, so that every question looks for one. */
function createFinding(
  { config, open }: Pick<Context, "config" | "open">,
  connect: (url: string) => Asked,
): AgentBackend {
  let found: { readonly url: string; readonly service: Asked } | null = null;
  let services: Promise<Services> | null = null;
  const openIndex = (): Promise<Services> => {
    services ??= open({ activity: ACTIVITY, hold: "call", create: false }).catch((error) => {
      services = null;
      throw error;
    });
    return services;
  };
  const local = async (): Promise<Asked> => {
    const { ask } = await openIndex();
    const place =
      config.store === "embedded" ? `The index in ${realPath(config.data)}` : `The index in ${config.store}`;
    return { ...ask, labelSet: async () => ask.labels, place: async () => place };
  };
  const find = async (): Promise<Asked | null> => {
    const url = readServiceNote(config.data)?.url;
    if (url === undefined) return null;
    if (found?.url === url) return found.service;
    const service = connect(url);
    if (!(await answers(url, service))) return null;
    found = { url, service };
    return service;
  };
  const ask = async <T>(action: (backend: Asked) => Promise<T>): Promise<T> => {
    const service = await find();
    if (service === null) return action(await local());
    try {
      return await action(service);
    } catch (error) {
      if (!(error instanceof RecommenderError) || error.code !== "STORE_UNAVAILABLE") throw error;
      // It ended just now, and the index is still there.
      found = null;
      return action(await local());
    }
  };
  return {
    recommend: (request, signal) => ask((backend) => backend.recommend(request, signal)),
    search: (request, signal) => ask((backend) => backend.search(request, signal)),
    findSimilar: (request, signal) => ask((backend) => backend.findSimilar(request, signal)),
    label: (request, signal) => ask((backend) => backend.label(request, signal)),
    stats: () => ask((backend) => backend.stats()),
    upload: (files, signal) => ask((backend) => backend.upload(files, signal)),
    listNotebooks: (request) => ask((backend) => backend.listNotebooks(request)),
    getNotebook: (id, signal) => ask((backend) => backend.getNotebook(id, signal)),
    getCell: (id, page, signal) => ask((backend) => backend.getCell(id, page, signal)),
    // Agents list the tools when they start, and most ask nothing then.
    labelSet: async () => (config.labels === undefined ? LABELS : ask((backend) => backend.labelSet())),
    place: () => ask((backend) => backend.place()),
    // Beside a service, too: the writer's place is taken for each batch only, and a file keeps its location.
    async indexPaths(paths, options) {
      const outcome = await indexFiles(open, paths, options);
      // A service takes in what others wrote when it is asked the next time.
      await (await find())?.search({ text: "new", k: 1 }).catch(() => {});
      return outcome;
    },
    close: async () => {
      await (await services)?.close();
    },
  };
}

/** Whether celrec answers there, and answers us: without its token the index on the disk is the better way. */
async function answers(url: string, service: Asked): Promise<boolean> {
  try {
    const { ok } = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(PROBE_MS) });
    if (ok) await service.labelSet();
    return ok;
  } catch {
    return false;
  }
}

async function indexFiles(
  open: Context["open"],
  paths: readonly string[],
  { source, signal, onProgress }: IndexOptions,
): Promise<IndexOutcome> {
  const opened = await openPaths(paths, source === undefined ? {} : { source });
  const services = await open({ activity: ACTIVITY, hold: "call" });
  let expected: number | null = null;
  const progress = {
    expect: (files: number | null) => {
      expected = files;
    },
    reading: ({ files }: { files: number }) => onProgress(files, expected),
    settling: () => {},
    end: () => {},
  };
  try {
    const result = await indexCorpus(opened, services, { prune: false, list: false, signal, progress });
    if (result === null) throw new RecommenderError("NOT_FOUND", `There is no notebook in ${paths.join(", ")}.`);
    signal.throwIfAborted();
    const { files: _, skippedBecause: _reasons, ...totals } = result.totals;
    return { ...totals, reasons: result.rejections.first.map(({ name, reason }) => ({ name, reason })) };
  } finally {
    await services.close();
  }
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}
