import { type Command, Option } from "commander";
import type { Services } from "../app/compose.js";
import type { WriterRole } from "../app/parts.js";
import { type Config, parseConfig } from "../config.js";
import { createOutput, type Output } from "./output.js";

type Env = Readonly<Record<string, string | undefined>>;

/** Flags for environment variables; a flag takes precedence. */
const FLAGS = [
  ["--data <folder>", "CELREC_DATA", "folder of the embedded index; default .celrec"],
  ["--store <name>", "CELREC_STORE", "embedded (default) or milvus"],
  ["--milvus-address <host:port>", "CELREC_MILVUS_ADDRESS", "address of the Milvus server; default localhost:19530"],
  ["--preset <name>", "CELREC_PRESET", "default, or paper: the settings of the CelRec paper"],
  ["--embedder <name>", "CELREC_EMBEDDER", "default (shipped), lexical or codebert"],
  ["--model <folder or id>", "CELREC_MODEL", "the CodeBERT model; default codebert"],
  ["--labels <folder>", "CELREC_LABELS", "folder of your own rules and labels"],
] as const;

type ConfigFlag = (typeof FLAGS)[number][0] extends infer F
  ? F extends `--${infer Name} <${string}`
    ? Name
    : never
  : never;

const JSON_FLAG = "--json";

/** Flags of only `serve` or `mcp`. */
const SERVER_FLAGS = [
  ["--host", "CELREC_HOST"],
  ["--port", "CELREC_PORT"],
  ["--url", "CELREC_URL"],
] as const;

/** The context that every command receives. */
export interface Context {
  readonly config: Config;
  readonly env: Env;
  readonly output: Output;
  /** A signal that Ctrl-C aborts. After the first access, Ctrl-C no longer ends the process by itself. */
  readonly signal: AbortSignal;
  open(role: WriterRole): Promise<Services>;
}

type Action = (context: Context, ...parameters: never[]) => Promise<number | undefined>;

/** Adds the configuration flags to a command, or only those named; does nothing if it has them already. */
export function addConfigFlags(command: Command, only?: readonly ConfigFlag[]): Command {
  if (command.options.some(({ long }) => long === JSON_FLAG)) return command;
  for (const [flag, variable, description] of FLAGS)
    if (only === undefined || only.some((name) => flag.startsWith(`--${name} `)))
      command.addOption(new Option(flag, `${description} [${variable}]`).helpGroup("Configuration:"));
  return command.addOption(new Option(JSON_FLAG, "print exactly one JSON document").helpGroup("Output:"));
}

/** The environment, overridden by the command's flags. */
function readFlags(options: Readonly<Record<string, unknown>>, env: Env): Env {
  const variables = [...FLAGS, ...SERVER_FLAGS].map(([flag, variable]) => {
    const name = flag
      .slice(2)
      .split(" ")[0]!
      .replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    return [variable, options[name] as string | undefined] as const;
  });
  return { ...env, ...Object.fromEntries(variables.filter(([, value]) => value !== undefined)) };
}

export function createContext(
  options: Readonly<Record<string, unknown>>,
  env: Env,
  catchSignals: () => AbortSignal,
): Context {
  const config = parseConfig(readFlags(options, env));
  let signal: AbortSignal | undefined;
  return {
    config,
    env,
    output: createOutput(options.json === true, env),
    get signal() {
      signal ??= catchSignals();
      return signal;
    },
    // Loaded on demand: if threads answer the requests, the main thread does not need it.
    open: async (role) => (await import("../app/compose.js")).compose(config, role),
  };
}

/** Calls a command's action with its context, and stores the returned exit code. */
export type Run = (action: Action) => (...parameters: unknown[]) => Promise<void>;
