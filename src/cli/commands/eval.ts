import { Command } from "commander";
import type { Suite } from "../../evaluate/suite.js";
import { SUITES } from "../../evaluate/suites/index.js";
import { addConfigFlags, type Run } from "../context.js";
import { buildCommand } from "./eval/build.js";
import { compareCommand } from "./eval/compare.js";
import { evaluate } from "./eval/evaluate.js";
import { matrixCommand } from "./eval/matrix.js";
import { addAskingOptions, addReportOptions, toOption } from "./eval/options.js";

export function evalCommand(run: Run): Command {
  const command = new Command("eval").description("evaluate a cell recommender: this one, a baseline, or your own");
  for (const suite of SUITES) command.addCommand(suiteCommand(suite, run));
  return command.addCommand(buildCommand(run)).addCommand(compareCommand(run)).addCommand(matrixCommand(run));
}

/** `celrec eval SUITE`, with the flags of the suite and those that all suites have. */
function suiteCommand(suite: Suite, run: Run): Command {
  const command = new Command(suite.name).description(suite.description);
  for (const option of suite.options) command.addOption(toOption(option));
  if (suite.asks !== null) addAskingOptions(command);
  addReportOptions(command, suite.reports);
  // A suite that asks a recommender has all configuration flags.
  if (suite.asks === null) addConfigFlags(command, suite.configured);
  return command.action(run((context, options: never) => evaluate(suite, context, options)));
}
