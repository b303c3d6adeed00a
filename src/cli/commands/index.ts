import { setImmediate } from "node:timers/promises";
import { Command } from "commander";
import { RecommenderError } from "../../errors.js";
import type { IngestReport } from "../../ingest/ingest.js";
import type { RejectedFile } from "../../ingest/ingest-files.js";
import { ingestFiles } from "../../ingest/ingest-files.js";
import { listNotebooks } from "../../notebook/files.js";
import type { Context } from "../context.js";
import type { Output } from "../output.js";
import type { Run } from "../program.js";
import { createProgress } from "../progress.js";

const PARTIAL = 4;
const SHOWN_REJECTIONS = 20;

export function indexCommand(run: Run): Command {
  return new Command("index")
    .description("add the notebooks at and below the paths to the index; the same command again resumes or updates")
    .argument("<paths...>", "notebooks (.ipynb), scripts in percent format (.py), or folders of them")
    .action(run(indexPaths));
}

async function indexPaths({ output, signal, open }: Context, paths: string[]): Promise<number> {
  const files = listNotebooks(paths);
  if (files.length === 0) throw new RecommenderError("NOT_FOUND", `There is no notebook in ${paths.join(", ")}.`);
  const services = await open({ activity: `celrec index ${paths.join(" ")}`, hold: "session" });
  const start = performance.now();
  const reports: IngestReport[] = [];
  const rejected: RejectedFile[] = [];
  try {
    const progress = createProgress("notebooks", files.length);
    for await (const step of ingestFiles(files, services.ingest, signal)) {
      reports.push(...step.reports);
      rejected.push(...step.rejected);
      progress.update(step.done);
      // Work that never waits would keep a signal from being heard.
      await setImmediate();
    }
    progress.end();
    if (signal.aborted) {
      output.note(
        `Interrupted; ${reports.length} of ${files.length} notebooks are stored. The same command goes on from there.`,
      );
      return 130;
    }
    await services.store.settle();
    show(output, reports, rejected, performance.now() - start);
  } finally {
    await services.close();
  }
  if (rejected.length === 0) return 0;
  return reports.length > 0 ? PARTIAL : 1;
}

function show(output: Output, reports: readonly IngestReport[], rejected: readonly RejectedFile[], ms: number): void {
  const sum = (pick: (report: IngestReport) => number) => reports.reduce((total, report) => total + pick(report), 0);
  const totals = {
    notebooks: reports.length,
    unchanged: reports.filter(({ unchanged }) => unchanged).length,
    replaced: reports.filter(({ replaced }) => replaced).length,
    cells: sum(({ cells }) => cells),
    new: sum((report) => report.new),
    duplicate: sum(({ duplicate }) => duplicate),
    skipped: sum(({ skipped }) => skipped),
  };
  output.document({
    totals: { ...totals, rejected: rejected.length, seconds: Math.round(ms) / 1000 },
    notebooks: reports.map(({ unchanged: _, ...report }) => report),
    rejected: rejected.map(({ name, reason }) => ({ name, reason })),
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
