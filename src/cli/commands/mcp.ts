import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { Command } from "commander";
import type { Services } from "../../app/compose.js";
import { indexCorpus } from "../../ask/index-corpus.js";
import { RecommenderError } from "../../errors.js";
import { LABELS } from "../../label/labeller.js";
import { createAgentServer } from "../../mcp/agent-server.js";
import type { Backend, IndexOptions, IndexOutcome } from "../../mcp/backend.js";
import { describeRejection } from "../../mcp/given-notebook.js";
import type { Entry } from "../../notebook/corpus/entry.js";
import { openPaths } from "../../notebook/corpus/open-paths.js";
import { readListedFile } from "../../notebook/file-system.js";
import { type Format, parseBytes } from "../../notebook/formats.js";
import type { Rejection } from "../../notebook/notebook.js";
import { CELLS, MARK } from "../../store/embedded/database.js";
import type { Context, Run } from "../context.js";
import { connectTo, createServiceFinder, type ServiceConnection } from "../service-note.js";

interface Options {
  readonly readOnly?: true;
}

export function mcpCommand(run: Run): Command {
  return new Command("mcp")
    .description("run a server for agents (Model Context Protocol) on standard input and output")
    .option("--url <address>", "use the service at this address instead of a local index [CELREC_URL]")
    .option("--read-only", "leave out the tools that change the index")
    .action(run(serveAgents));
}

async function serveAgents(context: Context, { readOnly }: Options) {
  const { output, signal } = context;
  const backend = createAgentBackend(context);
  const explain = (error: unknown): string => {
    if (error instanceof RecommenderError) return error.message;
    output.note(String((error as Error).stack));
    return "Something went wrong inside celrec; its standard error has the details.";
  };
  const server = createAgentServer({ backend, mayWrite: readOnly !== true, explain });
  try {
    await server.connect(new StdioServerTransport());
    await untilClosed(signal);
    await server.close();
  } finally {
    await backend.close();
  }
  return 0;
}

/** Resolves when the agent closes the input or sends a signal. */
function untilClosed(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    process.stdin.once("end", resolve);
    process.stdin.once("close", resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

interface AgentBackend extends Required<Backend> {
  close(): Promise<void>;
}

type Deps = Pick<Context, "config" | "open">;

/** Answers a local agent through the configured service, the service that has the index open, or the index itself. */
function createAgentBackend(deps: Deps): AgentBackend {
  const { url } = deps.config;
  return url === undefined ? createDiscoveringBackend(deps) : createFixedBackend(connectTo(url, deps.config));
}

function createFixedBackend(service: ServiceConnection): AgentBackend {
  return {
    ...service,
    indexPaths: (paths, options) => uploadPaths(service.upload, paths, options),
    close: async () => {},
  };
}

/** Looks for a service at every call, because services start and stop while an agent works. */
function createDiscoveringBackend({ config, open }: Deps): AgentBackend {
  const { find, forget } = createServiceFinder(config);
  let services: Promise<Services> | null = null;
  const local = async (): Promise<ServiceConnection> => {
    services ??= open({ activity: ACTIVITY, hold: "call", create: false }).catch((error) => {
      services = null;
      throw error;
    });
    const { ask } = await services;
    const place = config.store === "embedded" ? realPath(config.data) : config.store;
    return { ...ask, labelSet: async () => ask.labels, place: async () => `The index in ${place}` };
  };
  /** `write` is used instead of `action` for calls that may create the index. */
  const ask = async <T>(
    action: (backend: ServiceConnection) => Promise<T>,
    write?: (services: Services) => Promise<T>,
  ): Promise<T> => {
    const alone = async () => {
      if (write !== undefined) return openToWrite(open, write);
      // Replaces the store's message, which is written for the command line.
      const hasIndex = [CELLS, MARK].some((file) => existsSync(join(config.data, file)));
      if (config.store === "embedded" && !hasIndex) throw missingIndex(config.data);
      return action(await local());
    };
    const service = await find();
    if (service === null) return alone();
    try {
      return await action(service);
    } catch (error) {
      if (!(error instanceof RecommenderError) || error.code !== "STORE_UNAVAILABLE") throw error;
      // The service has just ended, so the index is opened directly.
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
    deleteNotebook: (id) =>
      ask(
        (backend) => backend.deleteNotebook(id),
        (opened) => opened.ask.deleteNotebook(id),
      ),
    forgetSource: (source, signal) =>
      ask(
        (backend) => backend.forgetSource(source, signal),
        (opened) => opened.ask.forgetSource(source, signal),
      ),
    // Agents list the tools at start, which must not open the index.
    labelSet: async () => (config.labels === undefined ? LABELS : ask((backend) => backend.labelSet())),
    place: () => ask((backend) => backend.place()),
    // Works next to a running service, because the write lock is held for one batch at a time.
    async indexPaths(paths, options) {
      const outcome = await indexFiles(open, paths, options);
      // A request makes a running service load the new cells.
      await (await find())?.search({ text: "new", k: 1 }).catch(() => {});
      return outcome;
    },
    close: async () => {
      await (await services)?.close();
    },
  };
}

function missingIndex(folder: string): RecommenderError {
  const message = `There is no index in ${realPath(folder)} yet: call \`index_notebooks\` with \`paths\`, a folder of the user's notebooks. Without that tool, ask the user to run celrec index FOLDER --data ${realPath(folder)}.`;
  return new RecommenderError("NOT_FOUND", message);
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}

const ACTIVITY = "celrec mcp";

/** Indexes files, as `celrec index` does. */
async function indexFiles(
  open: Context["open"],
  paths: readonly string[],
  { source, signal, onProgress }: IndexOptions,
): Promise<IndexOutcome> {
  const opened = await openPaths(paths, source === undefined ? {} : { source });
  let expected: number | null = null;
  const progress = {
    expect: (files: number | null) => {
      expected = files;
    },
    reading: ({ files }: { files: number }) => onProgress(files, expected),
    settling: () => {},
    end: () => {},
  };
  const result = await openToWrite(open, (services) => indexCorpus(opened, services, { signal, progress }));
  if (result === null) throw new RecommenderError("NOT_FOUND", `There is no notebook in ${paths.join(", ")}.`);
  signal.throwIfAborted();
  const { files: _, skippedBecause: _reasons, ...totals } = result.totals;
  return {
    ...totals,
    reasons: result.rejections.first.map(({ name, kind }) => ({ name, reason: describeRejection(kind) })),
  };
}

/** Opens the index for writing, and creates it if there is none. */
async function openToWrite<T>(open: Context["open"], action: (services: Services) => Promise<T>): Promise<T> {
  const services = await open({ activity: ACTIVITY, hold: "call" });
  try {
    return await action(services);
  } finally {
    await services.close();
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Sends the notebooks at and below the paths to a service, one after another. */
async function uploadPaths(
  upload: Backend["upload"],
  paths: readonly string[],
  { source, signal, onProgress }: IndexOptions,
): Promise<IndexOutcome> {
  const { corpus, count } = await openPaths(paths, source === undefined ? {} : { source });
  const expected = await count();
  const totals = { notebooks: 0, replaced: 0, cells: 0, new: 0, duplicate: 0, skipped: 0 };
  const reasons: Mutable<IndexOutcome["reasons"][number]>[] = [];
  let files = 0;
  for await (const found of corpus) {
    signal.throwIfAborted();
    files += 1;
    const content = "rejected" in found ? found : await readEntry(found);
    if ("bytes" in content) {
      const { answer } = await upload([{ source: found.source, name: found.path, ...content }], signal);
      reasons.push(...answer.rejected);
      for (const { replaced, ...report } of answer.notebooks) {
        totals.notebooks += 1;
        totals.replaced += Number(replaced);
        for (const key of ["cells", "new", "duplicate", "skipped"] as const) totals[key] += report[key];
      }
    } else if (isReported(found, content.rejected.kind))
      reasons.push({ name: found.path, reason: describeRejection(content.rejected.kind) });
    onProgress(files, expected);
  }
  if (files === 0) throw new RecommenderError("NOT_FOUND", `There is no notebook in ${paths.join(", ")}.`);
  return { ...totals, rejected: reasons.length, reasons };
}

type Read = { readonly format: Format; readonly bytes: Uint8Array } | { readonly rejected: Rejection };

async function readEntry(entry: Entry): Promise<Read> {
  const content = await entry.read();
  if ("rejected" in content) return content;
  const read = "file" in content ? readListedFile(content.file) : content;
  if ("rejected" in read) return read;
  const parsed = parseBytes(content.format, read.bytes);
  return "rejected" in parsed ? parsed : { format: content.format, bytes: read.bytes };
}

/** A script without cells is reported only if the user named it. */
function isReported(found: object, kind: string): boolean {
  return kind !== "plain-script" || ("named" in found && found.named === true);
}
