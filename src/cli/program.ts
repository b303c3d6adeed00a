import { Command, CommanderError } from "commander";
import { packageVersion } from "../config.js";
import { type ErrorCode, RecommenderError } from "../errors.js";
import { addConfigFlags, createContext, type Run } from "./context.js";
import { withoutControls } from "./output.js";

type LoadCommand = () => Promise<(run: Run) => Command>;

/**
 * Commands in the order of the help. A command's module is loaded only when it is used, because the evaluation alone is
 * half of the program.
 */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, LoadCommand>>>> = {
  "Write code:": {
    complete: async () => (await import("./commands/complete.js")).completeCommand,
    recommend: async () => (await import("./commands/recommend.js")).recommendCommand,
    search: async () => (await import("./commands/search.js")).searchCommand,
    similar: async () => (await import("./commands/search.js")).similarCommand,
    label: async () => (await import("./commands/label.js")).labelCommand,
  },
  "Manage the index:": {
    index: async () => (await import("./commands/index.js")).indexCommand,
    watch: async () => (await import("./commands/watch.js")).watchCommand,
    sources: async () => (await import("./commands/sources.js")).sourcesCommand,
    stats: async () => (await import("./commands/sources.js")).statsCommand,
    delete: async () => (await import("./commands/delete.js")).deleteCommand,
    clear: async () => (await import("./commands/delete.js")).clearCommand,
    export: async () => (await import("./commands/export.js")).exportCommand,
    import: async () => (await import("./commands/export.js")).importCommand,
    reembed: async () => (await import("./commands/reembed.js")).reembedCommand,
  },
  "Run a service:": {
    serve: async () => (await import("./commands/serve.js")).serveCommand,
    mcp: async () => (await import("./commands/mcp.js")).mcpCommand,
    doctor: async () => (await import("./commands/doctor.js")).doctorCommand,
  },
  "Models and evaluation:": {
    model: async () => (await import("./commands/model.js")).modelCommand,
    train: async () => (await import("./commands/train.js")).trainCommand,
    eval: async () => (await import("./commands/eval.js")).evalCommand,
    record: async () => (await import("./commands/record.js")).recordCommand,
  },
};

const EXAMPLES = `
Get started:
  celrec serve --samples              open http://127.0.0.1:8787, with sample notebooks
  celrec index ~/notebooks            index your own notebooks
  echo 'df = pd.re' | celrec complete continue a line of code`;

const EXIT_USAGE = 2;
const EXIT_CODES = { INPUT_INVALID: EXIT_USAGE, THRESHOLD_MISSED: 5, INTERRUPTED: 130 } as Partial<
  Record<ErrorCode, number>
>;

/** Runs the command line: takes the arguments after `celrec` and returns the exit code. */
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
    program.showHelpAfterError("See: celrec --help").addHelpText("after", EXAMPLES);
    const [name = ""] = words;
    const isKnown = Object.values(COMMANDS).some((group) => Object.hasOwn(group, name));
    for (const [heading, group] of Object.entries(COMMANDS)) {
      program.commandsGroup(heading);
      for (const [command, load] of Object.entries(group)) {
        // The version needs no command module.
        if (["--version", "-V"].includes(name) || (isKnown && command !== name)) continue;
        program.addCommand(passArguments((await load())(run), "celrec"));
      }
    }
    try {
      await program.parseAsync(words, { from: "user" });
      return exitCode;
    } catch (error) {
      return printError(error);
    }
  };
}

/** Commands with subcommands pass all arguments on to them. */
function passArguments(command: Command, parent: string): Command {
  const name = `${parent} ${command.name()}`;
  if (command.commands.length === 0) addConfigFlags(command);
  for (const subcommand of command.commands) passArguments(subcommand, name);
  return command.exitOverride().showSuggestionAfterError().showHelpAfterError(`See: ${name} --help`);
}

function printError(error: unknown): number {
  // Commander has already printed its message; help and version are not errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  if (!(error instanceof RecommenderError)) throw error;
  process.stderr.write(`celrec: ${withoutControls(error.message)}\n`);
  return EXIT_CODES[error.code] ?? 1;
}
