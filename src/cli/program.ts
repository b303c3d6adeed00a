import { Command, CommanderError } from "commander";
import { packageVersion } from "../config.js";
import { type ErrorCode, RecommenderError } from "../errors.js";
import { addConfigFlags, createContext, type Run } from "./context.js";
import { withoutControls } from "./output.js";

/** In the order of the help. A command is loaded only when it is used: the evaluation alone is half of the program. */
const COMMANDS: Readonly<Record<string, () => Promise<(run: Run) => Command>>> = {
  serve: async () => (await import("./commands/serve.js")).serveCommand,
  index: async () => (await import("./commands/index.js")).indexCommand,
  watch: async () => (await import("./commands/watch.js")).watchCommand,
  sources: async () => (await import("./commands/sources.js")).sourcesCommand,
  complete: async () => (await import("./commands/complete.js")).completeCommand,
  model: async () => (await import("./commands/model.js")).modelCommand,
  recommend: async () => (await import("./commands/recommend.js")).recommendCommand,
  search: async () => (await import("./commands/search.js")).searchCommand,
  similar: async () => (await import("./commands/similar.js")).similarCommand,
  train: async () => (await import("./commands/train.js")).trainCommand,
  label: async () => (await import("./commands/label.js")).labelCommand,
  eval: async () => (await import("./commands/eval.js")).evalCommand,
  record: async () => (await import("./commands/record.js")).recordCommand,
  stats: async () => (await import("./commands/sources.js")).statsCommand,
  reembed: async () => (await import("./commands/reembed.js")).reembedCommand,
  export: async () => (await import("./commands/export.js")).exportCommand,
  import: async () => (await import("./commands/import.js")).importCommand,
  delete: async () => (await import("./commands/delete.js")).deleteCommand,
  clear: async () => (await import("./commands/delete.js")).clearCommand,
  mcp: async () => (await import("./commands/mcp.js")).mcpCommand,
  doctor: async () => (await import("./commands/doctor.js")).doctorCommand,
};

const USAGE = 2;
const EXIT = { INPUT_INVALID: USAGE, THRESHOLD_MISSED: 5, INTERRUPTED: 130 } as Partial<Record<ErrorCode, number>>;

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
      .description(
        "Completes code and recommends notebook cells while you type, and measures how good such systems are.",
      )
      .version(packageVersion())
      .exitOverride()
      .showSuggestionAfterError();
    const [name = ""] = words;
    const load = Object.hasOwn(COMMANDS, name) ? [COMMANDS[name]!] : Object.values(COMMANDS);
    // The version needs no command at all.
    if (!["--version", "-V"].includes(name)) for (const each of load) program.addCommand(prepare((await each())(run)));
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
  // Commander has already printed its message; help and version are not errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  if (!(error instanceof RecommenderError)) throw error;
  process.stderr.write(`celrec: ${withoutControls(error.message)}\n`);
  return EXIT[error.code] ?? 1;
}
