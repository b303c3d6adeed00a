import { Command, CommanderError } from "commander";
import { type ErrorCode, RecommenderError } from "../errors.js";
import { clearCommand } from "./commands/clear.js";
import { deleteCommand } from "./commands/delete.js";
import { doctorCommand } from "./commands/doctor.js";
import { evalCommand } from "./commands/eval.js";
import { indexCommand } from "./commands/index.js";
import { labelCommand } from "./commands/label.js";
import { recommendCommand } from "./commands/recommend.js";
import { reembedCommand } from "./commands/reembed.js";
import { serveCommand } from "./commands/serve.js";
import { statsCommand } from "./commands/stats.js";
import { type Action, addConfigFlags, createContext } from "./context.js";
import { packageVersion } from "./version.js";

/** In the order of the help. Each makes its own `Command`, and calls `run` with what it does. */
const COMMANDS = [
  serveCommand,
  indexCommand,
  recommendCommand,
  labelCommand,
  evalCommand,
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
export function createProgram(env: Readonly<Record<string, string | undefined>>, catchSignals: () => AbortSignal) {
  return async (words: readonly string[]): Promise<number> => {
    let exitCode = 0;
    const run: Run =
      (action) =>
      async (...parameters) => {
        const command = parameters.pop() as Command;
        const context = createContext(command.opts(), env, catchSignals);
        exitCode = (await action(context, ...(parameters as never[]))) ?? 0;
      };
    const program = new Command("celrec")
      .description("Recommends notebook code cells while you type one, and measures how good such a recommender is.")
      .version(packageVersion())
      .exitOverride()
      .showSuggestionAfterError();
    for (const make of COMMANDS) program.addCommand(prepare(make(run)));
    try {
      await program.parseAsync(words, { from: "user" });
      return exitCode;
    } catch (error) {
      return explain(error);
    }
  };
}

/** Commands with subcommands pass everything on to these. */
function prepare(command: Command): Command {
  if (command.commands.length === 0) addConfigFlags(command);
  for (const subcommand of command.commands) prepare(subcommand);
  return command.exitOverride();
}

function explain(error: unknown): number {
  // Commander has printed its message already; help and version are no errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  if (!(error instanceof RecommenderError)) throw error;
  process.stderr.write(`celrec: ${error.message}\n`);
  return EXIT[error.code] ?? 1;
}
