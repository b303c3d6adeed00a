import { createServer } from "node:net";
import { Command } from "commander";
import type { Config } from "../../config.js";
import { RecommenderError } from "../../errors.js";
import type { Context } from "../context.js";
import type { Run } from "../program.js";

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

const OLDEST_NODE = 20;

export function doctorCommand(run: Run): Command {
  return new Command("doctor")
    .description("check Node, the model, the store and the port, and say what to do")
    .action(run(examine));
}

async function examine({ config, output, open }: Context) {
  const checks: Check[] = [checkNode(), ...(await checkServices(open)), await checkPort(config)];
  output.document({ ok: checks.every(({ ok }) => ok), checks });
  for (const { name, ok, detail } of checks) output.line(`${ok ? "ok  " : "FAIL"} ${name.padEnd(6)} ${detail}`);
  return checks.every(({ ok }) => ok) ? 0 : 1;
}

function checkNode(): Check {
  const ok = Number(process.versions.node.split(".")[0]) >= OLDEST_NODE;
  return { name: "node", ok, detail: `${process.version}${ok ? "" : `; celrec needs Node ${OLDEST_NODE} or newer`}` };
}

async function checkServices(open: Context["open"]): Promise<Check[]> {
  let services: Awaited<ReturnType<Context["open"]>>;
  try {
    services = await open({ activity: "celrec doctor", hold: "call" });
  } catch (error) {
    return [{ name: "model", ok: false, detail: ourMessage(error) }];
  }
  const { embedder, store } = services;
  try {
    return [
      await check("model", async () => {
        await embedder.embed(["import pandas as pd"], "query");
        return `${embedder.id} (${embedder.dimensions} dimensions)`;
      }),
      await check("store", async () => {
        const { cells, notebooks } = await store.counts();
        return `${store.name}: ${cells} cells of ${notebooks} notebooks`;
      }),
    ];
  } finally {
    await services.close();
  }
}

async function checkPort({ host, port }: Config): Promise<Check> {
  const error = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    const probe = createServer().once("error", resolve);
    probe.listen(port, host, () => probe.close(() => resolve(null)));
  });
  if (error === null) return { name: "port", ok: true, detail: `${host}:${port} is free` };
  const advice =
    error.code === "EADDRINUSE" ? "is in use (by a running celrec?); choose another with CELREC_PORT" : error.message;
  return { name: "port", ok: false, detail: `${host}:${port} ${advice}` };
}

async function check(name: string, probe: () => Promise<string>): Promise<Check> {
  try {
    return { name, ok: true, detail: await probe() };
  } catch (error) {
    return { name, ok: false, detail: ourMessage(error) };
  }
}

function ourMessage(error: unknown): string {
  if (error instanceof RecommenderError) return error.message;
  throw error;
}
