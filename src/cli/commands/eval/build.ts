import { writeFileSync } from "node:fs";
import { Command } from "commander";
import { RecommenderError } from "../../../errors.js";
import type { CaseBuilder, Suite } from "../../../evaluate/suite.js";
import { SUITES } from "../../../evaluate/suites/index.js";
import { loadGrammar } from "../../../python/grammar.js";
import { addConfigFlags, type Context, type Run } from "../../context.js";
import { collect } from "../../parse-options.js";
import { readNotebooks } from "../../read-input.js";
import { toOption } from "./options.js";

interface Options {
  readonly notebooks: readonly string[];
  readonly out: string;
}

/** `celrec eval build SUITE`, for suites that can make cases from notebooks. */
export function buildCommand(run: Run): Command {
  const command = new Command("build").description("make cases from notebooks");
  for (const { name, builder } of SUITES as readonly Suite[]) {
    if (builder === undefined) continue;
    const build = command
      .command(name)
      .description(builder.description)
      .requiredOption("--notebooks <paths...>", "notebooks to take cells from; may be repeated", collect)
      .requiredOption("--out <file>", "JSON lines to write");
    for (const option of builder.options ?? []) build.addOption(toOption(option));
    addConfigFlags(build, []).action(run((context, options: never) => buildCases(builder, context, options)));
  }
  return command;
}

async function buildCases(builder: CaseBuilder, { output, env }: Context, options: Options): Promise<number> {
  const { notebooks: paths, out } = options;
  await loadGrammar();
  const notebooks = await readNotebooks(paths, output);
  const cases = await builder.build(notebooks, { paths, options, env, note: (text) => output.note(text) });
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
