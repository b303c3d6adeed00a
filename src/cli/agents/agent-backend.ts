import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import type { Services } from "../../app/compose.js";
import { RecommenderError } from "../../errors.js";
import { LABELS } from "../../label/labeller.js";
import type { Backend } from "../../mcp/backend.js";
import type { Context } from "../context.js";
import { type Asked, connectTo, createServiceFinder } from "./find-service.js";
import { ACTIVITY, indexFiles, openToWrite } from "./index-files.js";
import { uploadPaths } from "./upload-paths.js";

export interface AgentBackend extends Required<Backend> {
  close(): Promise<void>;
}

type Deps = Pick<Context, "config" | "open">;

/** Who answers an agent on this machine: the service that is set, the one that serves the index, or the index itself. */
export function createAgentBackend(deps: Deps): AgentBackend {
  const { url } = deps.config;
  return url === undefined ? createFinding(deps) : createFixed(connectTo(url, deps.config));
}

function createFixed(service: Asked): AgentBackend {
  return {
    ...service,
    indexPaths: (paths, options) => uploadPaths(service.upload, paths, options),
    close: async () => {},
  };
}

/** Services come and go while an agent works, so that every question looks for one. */
function createFinding({ config, open }: Deps): AgentBackend {
  const { find, forget } = createServiceFinder(config);
  let services: Promise<Services> | null = null;
  const local = async (): Promise<Asked> => {
    services ??= open({ activity: ACTIVITY, hold: "call", create: false }).catch((error) => {
      services = null;
      throw error;
    });
    const { ask } = await services;
    const place = config.store === "embedded" ? realPath(config.data) : config.store;
    return { ...ask, labelSet: async () => ask.labels, place: async () => `The index in ${place}` };
  };
  /** `write` is for what makes the index where there is none. */
  const ask = async <T>(
    action: (backend: Asked) => Promise<T>,
    write?: (services: Services) => Promise<T>,
  ): Promise<T> => {
    const alone = async () => (write === undefined ? action(await local()) : openToWrite(open, write));
    const service = await find();
    if (service === null) return alone();
    try {
      return await action(service);
    } catch (error) {
      if (!(error instanceof RecommenderError) || error.code !== "STORE_UNAVAILABLE") throw error;
      // It ended just now, and the index is still there.
      forget();
      return alone();
    }
  };
  return {
    recommend: (request, signal) => ask((backend) => backend.recommend(request, signal)),
    complete: (request, signal) => ask((backend) => backend.complete(request, signal)),
    search: (request, signal) => ask((backend) => backend.search(request, signal)),
    findSimilar: (request, signal) => ask((backend) => backend.findSimilar(request, signal)),
    label: (request, signal) => ask((backend) => backend.label(request, signal)),
    stats: () => ask((backend) => backend.stats()),
    listSources: () => ask((backend) => backend.listSources()),
    upload: (files, signal) =>
      ask(
        (backend) => backend.upload(files, signal),
        (opened) => opened.ask.upload(files, signal),
      ),
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

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}
