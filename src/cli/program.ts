import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { type ErrorCode, RecommenderError } from "../errors.js";
import { clearCommand } from "./commands/clear.js";
import { deleteCommand } from "./commands/delete.js";
import { doctorCommand } from "./commands/doctor.js";
import { indexCommand } from "./commands/index.js";
import { labelCommand } from "./commands/label.js";
import { recommendCommand } from "./commands/recommend.js";
import { reembedCommand } from "./commands/reembed.js";
import { serveCommand } from "./commands/serve.js";
import { statsCommand } from "./commands/stats.js";
import { type Action, addConfigFlags, createContext } from "./context.js";

/** In the order of the help. Each makes its own `Command`, and calls `run` with what it does. */
const COMMANDS = [
  serveCommand,
  indexCommand,
  recommendCommand,
  labelCommand,
  statsCommand,
  reembedCommand,
  deleteCommand,
  clearCommand,
  doctorCommand,
];

const USAGE = 2;
const EXIT = { INPUT_INVALID: USAGE, THRESHOLD_MISSED: 5, INTERRUPTED: 130 } as Partial<Record<ErrorCode, number>>;

/** Hands a command's action its context, and keeps the exit code it returns. */
export type Run = (action: Action) => (...parameters: unknown[]) => Promise<void>;

/** The command line: takes the words after `celrec`, returns the exit code. */
export function createProgram(env: Readonly<Record<string, string | undefined>>, signal: AbortSignal) {
  return async (words: readonly string[]): Promise<number> => {
    let exitCode = 0;
    const run: Run =
      (action) =>
      async (...parameters) => {
        const command = parameters.pop() as Command;
        const context = createContext(command.opts(), env, signal);
        exitCode = (await action(context, ...(parameters as never[]))) ?? 0;
      };
    const program = new Command("celrec")
      .description("Recommends notebook code cells while you type one, and measures how good such a recommender is.")
      .version(readVersion())
      .exitOverride()
      .showSuggestionAfterError();
    for (const make of COMMANDS) program.addCommand(addConfigFlags(make(run)).exitOverride());
    try {
      await program.parseAsync(words, { from: "user" });
      return exitCode;
    } catch (error) {
      return explain(error);
    }
  };
}

function explain(error: unknown): number {
  // Commander has printed its message already; help and version are no errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  if (!(error instanceof RecommenderError)) throw error;
  process.stderr.write(`celrec: ${error.message}\n`);
  return EXIT[error.code] ?? 1;
}

function readVersion(): string {
  const manifest = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
