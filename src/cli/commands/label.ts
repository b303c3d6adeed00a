import { Command } from "commander";
import { strip } from "../../clean/strip.js";
import { openLabeller } from "../../compose.js";
import { RecommenderError } from "../../errors.js";
import type { Labelling } from "../../label/labeller.js";
import type { Context } from "../context.js";
import type { Run } from "../program.js";
import { readSources } from "../read-sources.js";

interface Entry {
  readonly path?: string;
  readonly index: number;
  readonly labels: Labelling["labels"];
  readonly probabilities: Labelling["probabilities"];
}

const PARTIAL = 4;

export function labelCommand(run: Run): Command {
  return new Command("label")
    .description("tell which machine-learning tasks cells do")
    .argument(
      "[paths...]",
      "notebooks, scripts, .jsonl of {source}, or folders; - or nothing for code on standard input",
    )
    .option("--partial", "the cells are still being typed")
    .action(run(labelPaths));
}

async function labelPaths({ config, output }: Context, paths: string[], { partial }: { partial?: true }) {
  const { sources, rejected } = readSources(paths);
  const reasons = rejected.map(({ name, reason }) => `${name}: ${reason}`);
  if (sources.length === 0 && rejected.length > 0) throw new RecommenderError("NOT_A_NOTEBOOK", reasons.join("\n"));
  const labeller = await openLabeller(config);
  const several = new Set(sources.map(({ path }) => path)).size > 1;
  const entries = sources.map(({ path, index, code }): Entry => {
    const { labels, probabilities } = labeller.label(strip(code).text, partial ? "prefix" : "cell");
    return { ...(several && { path }), index, labels, probabilities };
  });
  output.document(entries);
  for (const { path, index, labels } of entries) {
    const shown = labels.map(({ label, probability }) => `${label} ${probability.toFixed(2)}`).join(", ");
    output.line(`${several ? `${path} ` : ""}[${index}] ${shown || "none"}`);
  }
  for (const reason of reasons) output.note(`rejected ${reason}`);
  return rejected.length > 0 ? PARTIAL : 0;
}
