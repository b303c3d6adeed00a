import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import { type Client, createClient } from "../../../src/ask/client.js";

export type { Client };

export interface Service extends vscode.Disposable {
  /** Calls the service, and starts it if none runs. A service that ended is started again. */
  ask<T>(call: (client: Client) => Promise<T>): Promise<T>;
}

const START_MS = 60_000;
const POLL_MS = 150;
const TOKEN_KEY = "celrec.token";

/** Finds the service: the configured one, else one that is already running for the data folder, else a new one. */
export function createService({ secrets, globalStorageUri }: vscode.ExtensionContext): Service {
  let connected: Promise<Client> | null = null;
  let child: ChildProcess | null = null;
  const settings = () => vscode.workspace.getConfiguration("celrec");

  const connect = async (): Promise<Client> => {
    const url = settings().get("url", "");
    const given = settings().get("token", "");
    if (url !== "") return createClient({ url, ...(given !== "" && { token: given }) });
    const folder = settings().get("data", "") || join(globalStorageUri.fsPath, "index");
    const token = (await secrets.get(TOKEN_KEY)) ?? randomBytes(24).toString("hex");
    await secrets.store(TOKEN_KEY, token);
    const running = await findService(folder, token);
    if (running !== null) return running;
    mkdirSync(folder, { recursive: true });
    child = startService(settings().get("command", "celrec"), folder, token);
    return untilReady(child, folder, token);
  };

  const disconnect = () => {
    connected = null;
    child?.kill();
    child = null;
  };

  const client = () => {
    connected ??= connect().catch((error) => {
      disconnect();
      throw error;
    });
    return connected;
  };

  return {
    async ask(call) {
      try {
        return await call(await client());
      } catch (error) {
        // `fetch` throws a TypeError if there is no connection.
        if (!(error instanceof TypeError)) throw error;
        disconnect();
        return call(await client()).catch((again) => {
          throw again instanceof TypeError ? new Error(`The celrec service does not answer${where()}.`) : again;
        });
      }
    },
    dispose: disconnect,
  };

  function where(): string {
    const url = settings().get("url", "");
    return url === "" ? "" : ` at ${url}`;
  }
}

/**
 * The service that has this folder open, found by the note in the folder. Null if there is none, or if it rejects our
 * token.
 */
async function findService(folder: string, token: string): Promise<Client | null> {
  const url = readNote(folder)?.url;
  if (url === undefined) return null;
  for (const client of [createClient({ url, token }), createClient({ url })]) {
    const isOurs = await client.countLabels({ signal: AbortSignal.timeout(2_000) }).then(
      () => true,
      () => false,
    );
    if (isOurs) return client;
  }
  return null;
}

function readNote(folder: string): { readonly pid: number; readonly url: string } | null {
  try {
    return JSON.parse(readFileSync(join(folder, "service.json"), "utf8"));
  } catch {
    return null;
  }
}

function startService(command: string, folder: string, token: string): ChildProcess {
  const words = ["serve", "--samples", "--host", "127.0.0.1", "--port", "0", "--data", folder];
  // In a clone of the repository, the command is a JavaScript file.
  const isScript = /\.[cm]?js$/.test(command);
  return spawn(isScript ? "node" : command, isScript ? [command, ...words] : words, {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, CELREC_TOKEN: token, CELREC_FEEDBACK: "on" },
    // On Windows npm installs a .cmd file.
    shell: process.platform === "win32" && !isScript,
  });
}

function untilReady(child: ChildProcess, folder: string, token: string): Promise<Client> {
  let log = "";
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    log = (log + text).slice(-2_000);
  });
  return new Promise((resolve, reject) => {
    const started = Date.now();
    const poll = setInterval(() => {
      const note = readNote(folder);
      const isStarted = note !== null && (note.pid === child.pid || process.platform === "win32");
      if (isStarted) end(() => resolve(createClient({ url: note.url, token })));
      else if (Date.now() - started > START_MS) end(() => reject(new Error("The celrec service did not start.")));
    }, POLL_MS);
    const end = (then: () => void) => {
      clearInterval(poll);
      then();
    };
    child.once("error", () =>
      end(() =>
        reject(new Error("celrec was not found. Set celrec.command to its path, or celrec.url to a running service.")),
      ),
    );
    child.once("exit", (code) => {
      const reason = log.trim().split("\n").at(-1) ?? "";
      end(() => reject(new Error(`The celrec service ended with code ${code}. ${reason}`.trim())));
    });
  });
}
