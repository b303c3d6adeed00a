import { writeFileSync } from "node:fs";
import { Command } from "commander";
import { RecommenderError } from "../../../errors.js";
import { buildTyping } from "../../../evaluate/build-typing.js";
import { loadGrammar } from "../../../python/grammar.js";
import type { Context } from "../../context.js";
import { collect } from "../../parse-options.js";
import type { Run } from "../../program.js";
import { readNotebooks } from "../../read-notebooks.js";

interface Options {
  readonly notebooks: readonly string[];
  readonly out: string;
}

export function buildCommand(run: Run): Command {
  const typing = new Command("typing")
    .description("cases for `celrec eval typing`, at most two a notebook")
    .requiredOption("--notebooks <path>", "notebooks to take cells from; may be repeated", collect)
    .requiredOption("--out <file>", "JSON lines to write")
    .action(run(buildCases));
  return new Command("build").description("make cases from notebooks").addCommand(typing);
}

async function buildCases({ output }: Context, { notebooks, out }: Options): Promise<number> {
  await loadGrammar();
  const cases = buildTyping(readNotebooks(notebooks, output));
  try {
    writeFileSync(out, cases.map((each) => `${JSON.stringify(each)}\n`).join(""));
  } catch (cause) {
    throw new RecommenderError("INPUT_INVALID", `${out} cannot be written: ${(cause as Error).message}`, { cause });
  }
  output.document({ cases: cases.length, file: out });
  output.line(`${cases.length} cases in ${out}`);
  return 0;
}
