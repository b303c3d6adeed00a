import { Command } from "commander";
import type { Services } from "../../app/compose.js";
import { assetPath } from "../../config.js";
import { RecommenderError } from "../../errors.js";
import { buildTyping } from "../../evaluate/suites/typing/typing-cases.js";
import { typingJudge } from "../../evaluate/suites/typing/typing-judge.js";
import { createUniqueNames, readNotebooks } from "../../notebook/corpus/open-paths.js";
import type { NamedNotebook } from "../../notebook/notebook.js";
import { type TrainResult, train } from "../../recommend/fit/train-ranking.js";
import { createProfiles } from "../../recommend/profiles.js";
import {
  readInverseFrequency,
  readOnceCalls,
  readRerankModel,
  removeOwnModel,
  writeOwnModel,
} from "../../recommend/rerank-model.js";
import type { Context, Run } from "../context.js";
import type { Output } from "../output.js";
import { createProgress } from "../progress.js";

interface Options {
  readonly notebooks?: readonly string[];
  readonly reset?: true;
}

const EXIT_INTERRUPTED = 130;
const PROFILE_BYTES = 160 * 2 ** 20;

export function trainCommand(run: Run): Command {
  return new Command("train")
    .description("fit the ranking to your own notebooks; the result is kept only if it is better")
    .option("--notebooks <paths...>", "notebooks or folders to learn from; they may be in the index")
    .option("--reset", "go back to the default ranking")
    .action(run(trainRanking));
}

async function trainRanking({ config, output, open, signal }: Context, { notebooks, reset }: Options) {
  if (reset) {
    const removed = removeOwnModel(config.data);
    output.document({ reset: removed });
    output.line(removed ? "The default ranking is in use again." : "The default ranking is already in use.");
    return 0;
  }
  if (notebooks === undefined)
    throw new RecommenderError("INPUT_INVALID", "Give notebooks to learn from: celrec train --notebooks FOLDER");
  if (config.embedder !== "default" || config.preset === "paper")
    throw new RecommenderError("INPUT_INVALID", "Only the default preset with the default embedder can be trained.");
  const services = await open({ activity: "celrec train", hold: "call", create: false });
  try {
    const result = await trainFromPaths(services, notebooks, signal);
    if (result === null) {
      output.note("Interrupted; the ranking is unchanged.");
      return EXIT_INTERRUPTED;
    }
    // Training always starts from the default model, so repeated runs do not drift.
    const folder = result.wins ? writeOwnModel(config.data, result.model, shippedFolder()) : null;
    const { cases, notebooks: count, metrics, wins } = result;
    output.document({ cases, notebooks: count, metrics, kept: wins, folder });
    showResult(output, result, folder);
  } finally {
    await services.close();
  }
  return 0;
}

const shippedFolder = () => assetPath("models/rerank");

async function trainFromPaths(
  services: Services,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<TrainResult | null> {
  const nameOf = createUniqueNames();
  const read: NamedNotebook[] = [];
  const pathOf = new Map<string, string>();
  for await (const entry of readNotebooks(paths)) {
    if (!("notebook" in entry.parsed)) continue;
    const name = nameOf(entry);
    read.push({ name, notebook: entry.parsed.notebook });
    pathOf.set(name, entry.location ?? entry.path);
  }
  const cases = buildTyping(read);
  const progress = createProgress("half-typed cells", cases.length);
  try {
    const { store, embedder, labeller } = services;
    await store.open();
    const idf = await readInverseFrequency(shippedFolder());
    const isOnce = await readOnceCalls(shippedFolder());
    const model = await readRerankModel(shippedFolder());
    const parts = { store, embedder, labeller, idf, isOnce, model, profiles: createProfiles(PROFILE_BYTES) };
    const ownIds = (name: string) => services.ask.findNotebooks(pathOf.get(name)!);
    return await train({
      ...parts,
      cases,
      judge: typingJudge,
      ownIds,
      signal,
      onProgress: (done) => progress.update(done),
    });
  } finally {
    progress.end();
  }
}

function showResult(output: Output, { cases, notebooks, metrics, wins }: TrainResult, folder: string | null): void {
  output.line(`${cases} half-typed cells of ${notebooks} notebooks, cross-validated over notebooks:`);
  for (const [name, { before, after, difference }] of Object.entries(metrics)) {
    const [low, high] = difference ?? [0, 0];
    const figures = `${before?.toFixed(4) ?? "-"} -> ${after?.toFixed(4) ?? "-"}`;
    output.line(`  ${name.padEnd(12)} ${figures}  ${output.dim(`difference [${low.toFixed(4)}, ${high.toFixed(4)}]`)}`);
  }
  output.line(
    wins
      ? `Saved in ${folder}. serve and recommend use it from their next start; celrec train --reset removes it.`
      : "Not saved: no metric improved significantly, or one got worse. The ranking is unchanged.",
  );
}
