import { Command, InvalidArgumentError } from "commander";
import { type IndexResult, indexCorpus } from "../../ask/index-corpus.js";
import { RecommenderError } from "../../errors.js";
import { openRetryingStore } from "../../ingest/retrying-store.js";
import type { Shard } from "../../ingest/screen.js";
import type { SkippedGroup } from "../../notebook/corpus/candidates.js";
import type { OpenedCorpus } from "../../notebook/corpus/entry.js";
import { joinMetaKaggle, nameKgtorrent } from "../../notebook/corpus/kaggle.js";
import { type OpenOptions, openPaths } from "../../notebook/corpus/open-paths.js";
import type { Context, Run } from "../context.js";
import { asOneLine, describeSkipped, type Output } from "../output.js";
import { parseName } from "../parse-options.js";
import { createIndexProgress } from "../progress.js";

interface Options extends OpenOptions {
  readonly list?: true;
  readonly prune?: true;
  readonly shard?: Shard;
  readonly jsonEvents?: true;
  readonly kgtorrent?: true;
  readonly metaKaggle?: string;
  readonly allVersions?: true;
}

const EXIT_PARTIAL = 4;
const SHOWN_REJECTIONS = 20;

export function indexCommand(run: Run): Command {
  return new Command("index")
    .description("add the notebooks at and below the paths to the index; run it again to resume or update")
    .argument("<paths...>", "folders, notebooks, scripts with cells, .zip, .tar(.gz, .bz2), .tgz, .jsonl(.gz)")
    .option(
      "--source <name>",
      "a name for the source instead of its path, so that ids are the same on every machine",
      parseName,
    )
    .option("--prune", "remove notebooks that no longer exist in these folders or archives")
    .option("--commit <revision>", "index this commit; the paths are then git repositories")
    .option("--kgtorrent", "read author and kernel from file names such as author_kernel.ipynb, as in KGTorrent")
    .option(
      "--meta-kaggle <path>",
      "folder of CSV files or MySQL dump with the tables of Meta Kaggle, for Meta Kaggle Code or KGTorrent",
    )
    .option("--all-versions", "with --meta-kaggle: index all versions of a kernel, not only the newest")
    .option("--shard <i/n>", "index only part i of n, to divide a corpus among n machines", parseShard)
    .option("--list", "with --json, list every notebook")
    .option("--json-events", "print progress and result as JSON, one object per line")
    .action(run(indexPaths));
}

async function indexPaths({ output, signal, open }: Context, paths: string[], options: Options) {
  const opened = await openCorpus(paths, options, output.note);
  if (options.prune && opened.sources.some(({ isWhole }) => !isWhole))
    throw new RecommenderError("INPUT_INVALID", "--prune needs whole folders or archives, not single files.");
  const start = performance.now();
  const services = await open({ activity: `celrec index ${paths.join(" ")}`, hold: "session" });
  try {
    const { shard, prune = false, list = false, jsonEvents = false } = options;
    const progress = createIndexProgress(output, jsonEvents);
    const settings = { ...(shard !== undefined && { shard }), prune, list, signal, progress, isLast: true };
    const store = await openRetryingStore(services.store, signal, output.note);
    const result = await indexCorpus(opened, { ...services, store }, settings);
    if (result === null) throw noNotebooks(paths, prune, opened.skipped());
    const ms = performance.now() - start;
    const skipped = opened.skipped();
    const document = { ...toJson(result, options, ms), ...(skipped.length > 0 && { leftOut: skipped }) };
    if (signal.aborted) {
      const { notebooks } = result.totals;
      output.document({ ...document, interrupted: true });
      if (jsonEvents) output.line(JSON.stringify({ event: "interrupted", ...document }));
      output.note(`Interrupted; ${notebooks} notebooks are stored. Run the same command again to continue.`);
      return 130;
    }
    output.document(document);
    if (jsonEvents) output.line(JSON.stringify({ event: "end", ...document }));
    else {
      showResult(output, result, options, ms);
      if (result.gone > 0)
        output.note(
          `${result.gone} indexed notebooks of this source no longer exist in these paths; --prune removes them.`,
        );
      if (skipped.length > 0) output.note(describeSkipped(skipped));
    }
    if (result.rejections.count === 0) return 0;
    return result.totals.notebooks > 0 ? EXIT_PARTIAL : 1;
  } finally {
    await services.close();
  }
}

async function openCorpus(
  paths: readonly string[],
  options: Options,
  note: (text: string) => void,
): Promise<OpenedCorpus> {
  const { source, commit, kgtorrent, metaKaggle, allVersions = false } = options;
  const opened = await openPaths(paths, {
    ...(source !== undefined && { source }),
    ...(commit !== undefined && { commit }),
  });
  if (kgtorrent) {
    const onJoined = (joined: number, notebooks: number) =>
      metaKaggle && note(`${joined} of ${notebooks} notebooks are in the tables of ${metaKaggle}.`);
    return {
      ...opened,
      corpus: { [Symbol.asyncIterator]: () => nameKgtorrent(opened.corpus, { tables: metaKaggle, onJoined }) },
    };
  }
  if (metaKaggle === undefined) return opened;
  // Only the tables tell how many versions are omitted, so the count is known after they are read.
  let onCount: (entries: number) => void = () => {};
  const counted = new Promise<number>((resolve) => {
    onCount = resolve;
  });
  const corpus = joinMetaKaggle(() => opened.corpus, { folder: metaKaggle, allVersions, onCount });
  return { ...opened, corpus, count: () => counted };
}

function noNotebooks(paths: readonly string[], prune: boolean, skipped: readonly SkippedGroup[]): RecommenderError {
  const kept = prune ? " Nothing was removed; celrec sources --forget SOURCE removes everything of a source." : "";
  const left = skipped.length === 0 ? "" : ` ${describeSkipped(skipped)}`;
  return new RecommenderError("NOT_FOUND", `There is no notebook in ${paths.join(", ")}.${kept}${left}`);
}

function toJson({ totals, reports, rejections, pruned, gone }: IndexResult, { list, prune }: Options, ms: number) {
  return {
    totals: { ...totals, ...(prune && { pruned }), seconds: Math.round(ms) / 1000 },
    ...(list && { notebooks: reports.map(({ unchanged: _, ...report }) => report) }),
    rejected: rejections.first.map(({ source, name, reason }) => ({ source, name, reason })),
    ...(rejections.count > 0 && { rejectedFile: rejections.file }),
    ...(gone > 0 && { gone }),
  };
}

function showResult(output: Output, { totals, rejections, pruned }: IndexResult, { prune }: Options, ms: number): void {
  const because = Object.entries(totals.skippedBecause).filter(([, count]) => count > 0);
  const reasons = because.map(([reason, count]) => `${count} ${reason}`).join(", ");
  output.line(
    `${totals.notebooks} notebooks (${totals.unchanged} unchanged, ${totals.replaced} replaced${
      pruned === null ? "" : `, ${pruned} removed`
    }), ${totals.cells} cells: ${totals.new} new, ${totals.duplicate} duplicate, ${totals.skipped} skipped${
      reasons === "" ? "" : ` (${reasons})`
    }, in ${(ms / 1000).toFixed(1)} s`,
  );
  if (prune && pruned === null) output.note("Nothing was removed, because part of the corpus could not be read.");
  if (rejections.count === 0) return;
  output.line(`${rejections.count} ${rejections.count === 1 ? "file" : "files"} rejected:`);
  const isOne = new Set(rejections.first.map(({ source }) => source)).size === 1;
  for (const { source, name, reason } of rejections.first.slice(0, SHOWN_REJECTIONS))
    output.line(asOneLine(`  ${name === "." ? source : isOne ? name : `${source}/${name}`}: ${reason}`));
  if (rejections.count > SHOWN_REJECTIONS)
    output.line(`  ... and ${rejections.count - SHOWN_REJECTIONS} more, all in ${rejections.file}`);
}

function parseShard(text: string): Shard {
  const [, index, of] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []).map(Number);
  if (index !== undefined && of !== undefined && index >= 1 && index <= of) return { index, of };
  throw new InvalidArgumentError("It must be i/n, such as 2/4: i from 1 to n.");
}
