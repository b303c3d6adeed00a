import { Command } from "commander";
import type { Run } from "../program.js";
import { buildCommand } from "./eval/build.js";
import { celrecCommand } from "./eval/celrec.js";
import { compareCommand } from "./eval/compare.js";
import { labelsCommand } from "./eval/labels.js";
import { typingCommand } from "./eval/typing.js";

export function evalCommand(run: Run): Command {
  const command = new Command("eval").description("measure a cell recommender: this one, a baseline, or yours");
  for (const make of [celrecCommand, typingCommand, labelsCommand, buildCommand, compareCommand])
    command.addCommand(make(run));
  return command;
}
