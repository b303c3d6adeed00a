import { existsSync, readdirSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Command } from "commander";
import { pino } from "pino";
import { indexSamples, openService } from "../../app/service.js";
import type { Config } from "../../config.js";
import { RecommenderError } from "../../errors.js";
import { createAdmission } from "../../http/admission.js";
import { createApp } from "../../http/app.js";
import { checkAccess } from "../../http/authorize.js";
import { createHttpServer, stopServer } from "../../http/http-server.js";
import type { Context, Run } from "../context.js";
import { parseChoice } from "../parse-options.js";
import { writeServiceNote } from "../service-note.js";

interface Options {
  readonly samples?: true;
  readonly host?: string;
  readonly port?: string;
  readonly logLevel: string;
}

const LOG_LEVELS = ["silent", "error", "info"] as const;

export function serveCommand(run: Run): Command {
  return new Command("serve")
    .description("serve the REST API and the page at /")
    .option("--host <address>", "address to listen on; default 127.0.0.1 [CELREC_HOST]")
    .option("--port <number>", "port to listen on, 0 for any; default 8787 [CELREC_PORT]")
    .option("--samples", "index the sample notebooks first, if the index is empty")
    .option("--log-level <level>", LOG_LEVELS.join(", "), parseChoice(LOG_LEVELS), "error")
    .action(run(serve));
}

async function serve({ config, output, signal }: Context, { samples, logLevel }: Options) {
  checkAccess(config);
  const url = `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${config.port}`;
  const role = { activity: "celrec serve", url, hold: "call" } as const;
  const during = <T>(what: string, action: Promise<T>) => reportSlow(output.note, what, action);
  const addSamples = async () => {
    const { notebooks, cells } = await during("Indexing the sample notebooks ...", indexSamples(config, role));
    output.note(`Indexed ${notebooks} sample notebooks, ${cells} cells.`);
  };
  // The index is not opened just to check whether it is empty, which would double the start time.
  const hasFiles = existsSync(config.data) && readdirSync(config.data).length > 0;
  const isNew = config.store === "embedded" && !hasFiles;
  if (samples && isNew) await addSamples();
  const logger = pino({ level: logLevel }, pino.destination(2));
  const onSettleError = (error: unknown) =>
    logger.error(
      { err: error as Error },
      "the derived files could not be updated; the next change triggers another attempt",
    );
  const openIndex = () =>
    during(`Opening the index in ${config.data} ...`, openService(config, role, { onSettleError }));
  let service = await openIndex();
  try {
    let { cells } = await service.ask.stats();
    if (samples && !isNew && cells === 0) {
      await service.close();
      await addSamples();
      service = await openIndex();
      ({ cells } = await service.ask.stats());
    }
    // Warm up before listening, so the first requests are fast. An error is not fatal, because requests will report it.
    const notWarm = (error: unknown) => signal.aborted || logger.error({ err: error as Error }, "the warm-up failed");
    const warming = service.warm(signal).then(() => logger.info({ cells }, "warmed up"), notWarm);
    await during(`Warming up with some of ${cells} cells ...`, warming);
    const admission = createAdmission();
    const server = await listen(createHttpServer(createApp({ ...service, config, logger, admission })), config);
    const { port } = server.address() as AddressInfo;
    const address = url.replace(/:\d+$/, `:${port}`);
    const removeNote = writeServiceNote(config.data, { pid: process.pid, url: reachableUrl(address) });
    output.note(describeService(address, cells, config));
    await untilAborted(signal);
    removeNote();
    admission.stop();
    await stopServer(server);
  } finally {
    await service.close();
  }
  return 0;
}

/** Milliseconds after which a silent start prints a message. */
const MAX_QUIET_START_MS = 1_000;

/** Prints the current step if it takes longer than `afterMs`. */
export async function reportSlow<T>(
  note: (text: string) => void,
  what: string,
  action: Promise<T>,
  afterMs = MAX_QUIET_START_MS,
): Promise<T> {
  const timer = setTimeout(() => note(what), afterMs);
  try {
    return await action;
  } finally {
    clearTimeout(timer);
  }
}

function listen(server: Server, { host, port }: Config): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const advice =
        cause.code === "EADDRINUSE"
          ? `Port ${port} on ${host} is in use; stop the other program, or choose another port with --port.`
          : `Cannot listen on ${host}:${port}: ${cause.message}.`;
      reject(new RecommenderError("PORT_IN_USE", advice, { cause }));
    });
    server.listen(port, host, () => resolve(server));
  });
}

function describeService(url: string, cells: number, { token, tokensFile }: Config): string {
  const auth = token === undefined && tokensFile === undefined ? "" : ` -H "authorization: Bearer $CELREC_TOKEN"`;
  return [
    `celrec serves ${cells} cells on ${url}`,
    "Open it in a browser, or try:",
    `  curl -s ${url}/v1/recommendations -H "content-type: application/json"${auth} -d '{"code": "df = pd.read_csv(", "k": 2}'`,
    "Stop it with Ctrl-C.",
  ].join("\n");
}

/** A URL that works on this machine, also if the service listens on all addresses. */
function reachableUrl(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
