import { writeFileSync } from "node:fs";
import { Command } from "commander";
import { mutators } from "../../../mutators/index.js";
import { openLabeller } from "../../app/parts.js";
import { RecommenderError } from "../../errors.js";
import type { CaseBuilder, Suite } from "../../evaluate/suite.js";
import { SUITES } from "../../evaluate/suites/index.js";
import { loadGrammar } from "../../python/grammar.js";
import { addConfigFlags, type Context, type Run } from "../context.js";
import { collect } from "../parse-options.js";
import { readNotebooks } from "../read-input.js";
import { ablationCommand } from "./eval/ablation.js";
import { compareCommand, matrixCommand } from "./eval/compare.js";
import { evaluate } from "./eval/evaluate.js";
import { addAskingOptions, addReportOptions, toOption } from "./eval/options.js";

export function evalCommand(run: Run): Command {
  const command = new Command("eval").description("evaluate a cell recommender: this one, a baseline, or your own");
  for (const suite of SUITES) command.addCommand(suiteCommand(suite, run));
  return command
    .addCommand(buildCommand(run))
    .addCommand(ablationCommand(run))
    .addCommand(compareCommand(run))
    .addCommand(matrixCommand(run));
}

/** `celrec eval SUITE`, with the suite's own and the common flags. */
function suiteCommand(suite: Suite, run: Run): Command {
  const command = new Command(suite.name).description(suite.description);
  for (const option of suite.options) command.addOption(toOption(option));
  if (suite.asks !== null) addAskingOptions(command);
  addReportOptions(command, suite.reports);
  // `addAskingOptions` has already added all configuration flags to the other suites.
  if (suite.asks === null) addConfigFlags(command, suite.configured);
  return command.action(run((context, options: never) => evaluate(suite, context, options)));
}

interface Options {
  readonly notebooks: readonly string[];
  readonly out: string;
}

/** `celrec eval build SUITE`, for suites that can make test cases from notebooks. */
function buildCommand(run: Run): Command {
  const command = new Command("build").description("make test cases from notebooks");
  for (const { name, builder } of SUITES as readonly Suite[]) {
    if (builder === undefined) continue;
    const build = command
      .command(name)
      .description(builder.description)
      .requiredOption("--notebooks <paths...>", "notebooks to take cells from; may be repeated", collect)
      .requiredOption("--out <path>", "buildFolder" in builder ? "folder to write" : "JSON lines to write");
    for (const option of builder.options ?? []) build.addOption(toOption(option));
    addConfigFlags(build, []).action(run((context, options: never) => buildCases(builder, context, options)));
  }
  return command;
}

async function buildCases(builder: CaseBuilder, context: Context, options: Options): Promise<number> {
  const { output, env, config } = context;
  const { notebooks: paths, out } = options;
  await loadGrammar();
  const isOwn = (path: string) => "reads" in builder && builder.reads?.(path) === true;
  const others = paths.filter((path) => !isOwn(path));
  const notebooks = others.length === 0 ? [] : await readNotebooks(others, output);
  const labeller = () => openLabeller(config);
  const request = { paths, options, env, mutators, labeller, note: (text: string) => output.note(text) };
  if ("buildFolder" in builder) {
    const counts = await builder.buildFolder(notebooks, out, request);
    const list = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
    output.document({ ...counts, folder: out });
    output.line(`${list.join(", ")} in ${out}`);
    return 0;
  }
  const cases = await builder.build(notebooks, request);
  if (cases.length === 0)
    throw new RecommenderError("INPUT_INVALID", `There is no case in ${paths.join(", ")}; ${out} is not written.`);
  try {
    writeFileSync(out, cases.map((each) => `${JSON.stringify(each)}\n`).join(""));
  } catch (cause) {
    throw new RecommenderError("INPUT_INVALID", `${out} cannot be written: ${(cause as Error).message}`, { cause });
  }
  output.document({ cases: cases.length, file: out });
  output.line(`${cases.length} ${builder.unit ?? "cases"} in ${out}`);
  return 0;
}
