import { setImmediate } from "node:timers/promises";
import { Command } from "commander";
import type { Services } from "../../compose.js";
import { RecommenderError } from "../../errors.js";
import { type CorpusReport, ingestCorpus, type RejectedEntry } from "../../ingest/ingest-corpus.js";
import { addStep, NOTHING_YET, type Totals } from "../../ingest/totals.js";
import { createInlineWorkers, type Workers } from "../../ingest/workers/workers.js";
import type { Corpus, Found } from "../../notebook/corpus/entry.js";
import { openPaths } from "../../notebook/corpus/open-paths.js";
import type { Context } from "../context.js";
import type { Output } from "../output.js";
import { createProgress } from "../progress.js";
import type { Run } from "../run.js";

interface Options {
  readonly source?: string;
  readonly list?: true;
}

const PARTIAL = 4;
const SHOWN_REJECTIONS = 20;
/** So few and so small files are indexed before threads have started. */
const FEW_FILES = 30;
const FEW_BYTES = 512 * 1024;

export function indexCommand(run: Run): Command {
  return new Command("index")
    .description("add the notebooks at and below the paths to the index; the same command again resumes or updates")
    .argument("<paths...>", "notebooks (.ipynb), scripts in percent format (.py), or folders of them")
    .option("--source <name>", "what the corpus is called, instead of where it lies: the same on every machine")
    .option("--list", "with --json, list every notebook")
    .action(run(indexPaths));
}

async function indexPaths({ output, signal, open }: Context, paths: string[], { source, list }: Options) {
  const { corpus, count } = await openPaths(paths, source === undefined ? {} : { source });
  const start = performance.now();
  const first = await takeFirst(corpus);
  if (first.entries.length === 0)
    throw new RecommenderError("NOT_FOUND", `There is no notebook in ${paths.join(", ")}.`);
  const services = await open({ activity: `celrec index ${paths.join(" ")}`, hold: "session" });
  let totals = NOTHING_YET;
  const reports: CorpusReport[] = [];
  const rejected: RejectedEntry[] = [];
  try {
    const progress = createProgress("files", await count());
    const deps = { store: services.store, workers: chooseWorkers(first, services) };
    for await (const step of ingestCorpus(first.all, deps, { signal })) {
      totals = addStep(totals, step);
      if (list) reports.push(...step.reports);
      rejected.push(...step.rejected);
      progress.update(totals.files);
      // Work that never waits would keep a signal from being heard.
      await setImmediate();
    }
    progress.end();
    if (signal.aborted) {
      output.note(`Interrupted; ${totals.notebooks} notebooks are stored. The same command goes on from there.`);
      return 130;
    }
    await services.store.settle();
    show(output, totals, list ? reports : null, rejected, performance.now() - start);
  } finally {
    await services.close();
  }
  if (rejected.length === 0) return 0;
  return totals.notebooks > 0 ? PARTIAL : 1;
}

interface FirstEntries {
  readonly entries: readonly Found[];
  /** Whether there are no more. */
  readonly isAll: boolean;
  /** The whole corpus, these included. */
  readonly all: Corpus;
}

async function takeFirst(corpus: Corpus): Promise<FirstEntries> {
  const iterator = corpus[Symbol.asyncIterator]();
  const entries: Found[] = [];
  let isAll = false;
  while (entries.length < FEW_FILES && !isAll) {
    const next = await iterator.next();
    if (next.done) isAll = true;
    else entries.push(next.value);
  }
  const all = async function* () {
    yield* entries;
    if (!isAll) yield* { [Symbol.asyncIterator]: () => iterator };
  };
  return { entries, isAll, all: all() };
}

function chooseWorkers({ entries, isAll }: FirstEntries, services: Services): Workers {
  const size = entries.reduce((sum, found) => sum + ("rejected" in found ? 0 : (found.size ?? FEW_BYTES)), 0);
  return isAll && size < FEW_BYTES ? createInlineWorkers(services) : services.workers;
}

function show(
  output: Output,
  totals: Totals,
  reports: readonly CorpusReport[] | null,
  rejected: readonly RejectedEntry[],
  ms: number,
): void {
  output.document({
    totals: { ...totals, seconds: Math.round(ms) / 1000 },
    ...(reports !== null && { notebooks: reports.map(({ unchanged: _, ...report }) => report) }),
    rejected: rejected.map(({ source, name, reason }) => ({ source, name, reason })),
  });
  output.line(
    `${totals.notebooks} notebooks (${totals.unchanged} unchanged, ${totals.replaced} replaced), ` +
      `${totals.cells} cells: ${totals.new} new, ${totals.duplicate} duplicate, ${totals.skipped} skipped, in ${(ms / 1000).toFixed(1)} s`,
  );
  if (rejected.length > 0) output.line(`${rejected.length} files rejected:`);
  for (const { name, reason } of rejected.slice(0, SHOWN_REJECTIONS)) output.line(`  ${name}: ${reason}`);
  if (rejected.length > SHOWN_REJECTIONS)
    output.line(`  ... and ${rejected.length - SHOWN_REJECTIONS} more (--json lists all)`);
}
