import { Command, Option } from "commander";
import type { Suite, SuiteOption } from "../../../evaluate/suite.js";
import { addConfigFlags } from "../../context.js";
import { collect, parseInteger } from "../../parse-options.js";
import type { Run } from "../../run.js";
import { evaluate } from "./evaluate.js";
import { addAskingOptions, addReportOptions } from "./options.js";

/** `celrec eval SUITE`, with the flags of the suite and those that all suites have. */
export function suiteCommand(suite: Suite, run: Run): Command {
  const command = new Command(suite.name).description(suite.description);
  for (const option of suite.options) command.addOption(toOption(option));
  if (suite.asks !== null) addAskingOptions(command);
  addReportOptions(command, suite.reports);
  // One that asks a recommender may need any of the configuration.
  if (suite.asks === null) addConfigFlags(command, suite.configured);
  return command.action(run((context, options: never) => evaluate(suite, context, options)));
}

/** A flag of a suite as commander has it. */
export function toOption({ flags, description, value, required, fallback, fallbackName }: SuiteOption): Option {
  const option = new Option(flags, value === "list" ? `${description}; may be repeated` : description);
  if (required) option.makeOptionMandatory();
  if (fallback !== undefined) option.default(fallback, fallbackName);
  if (value === "list") option.argParser(collect);
  if (typeof value === "object") option.argParser(parseInteger(value.least, value.most));
  return option;
}
