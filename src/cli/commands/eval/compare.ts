import { Command } from "commander";
import { compareResults, type RunComparison } from "../../../evaluate/compare.js";
import { parseResult } from "../../../evaluate/result.js";
import type { Context } from "../../context.js";
import type { Output } from "../../output.js";
import { readText } from "../../read-code.js";
import type { Run } from "../../run.js";

const SHOWN = 5;

export function compareCommand(run: Run): Command {
  return new Command("compare")
    .description("whether one result is better than another: paired permutation test over seeds, Holm-corrected")
    .argument("<before>", "result of --json or --report FILE.json")
    .argument("<after>", "result to compare with it")
    .action(run(compare));
}

async function compare({ output }: Context, before: string, after: string): Promise<number> {
  const comparison = compareResults(parseResult(readText(before), before), parseResult(readText(after), after));
  output.document(comparison);
  show(output, comparison);
  return 0;
}

function show(output: Output, { suite, unit, units, differs, decisive, metrics }: RunComparison): void {
  output.line(`${suite}, ${units} ${unit}s; the runs differ in ${differs.join(", ") || "nothing"}`);
  output.line(output.dim(`${"metric".padEnd(20)}before  after   change   95 % interval      p (Holm)`));
  for (const { metric, a, b, difference, ci95, holm } of metrics) {
    const sign = difference >= 0 ? "+" : "";
    const range = `${ci95[0].toFixed(4)} .. ${ci95[1].toFixed(4)}`;
    output.line(
      `${metric.padEnd(20)}${a.toFixed(4)}  ${b.toFixed(4)}  ${`${sign}${difference.toFixed(4)}`.padEnd(9)}${range.padEnd(19)}${holm.toFixed(4)}`,
    );
  }
  const main = metrics.find(({ metric }) => metric === decisive) ?? metrics[0];
  if (main === undefined) return;
  output.line();
  output.line(`by ${main.metric}: ${main.gained} ${unit}s gained, ${main.lost} lost`);
  for (const { id, a, b } of [...main.gains.slice(0, SHOWN), ...main.losses.slice(0, SHOWN)]) {
    output.line(`  ${a.toFixed(3)} -> ${b.toFixed(3)}  ${id}`);
  }
}
