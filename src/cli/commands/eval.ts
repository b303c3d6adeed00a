import { Command } from "commander";
import { SUITES } from "../../evaluate/suites/index.js";
import type { Run } from "../run.js";
import { buildCommand } from "./eval/build.js";
import { compareCommand } from "./eval/compare.js";
import { matrixCommand } from "./eval/matrix.js";
import { suiteCommand } from "./eval/suite-command.js";

export function evalCommand(run: Run): Command {
  const command = new Command("eval").description("measure a cell recommender: this one, a baseline, or yours");
  for (const suite of SUITES) command.addCommand(suiteCommand(suite, run));
  return command.addCommand(buildCommand(run)).addCommand(compareCommand(run)).addCommand(matrixCommand(run));
}
