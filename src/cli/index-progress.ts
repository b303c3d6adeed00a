import type { Totals } from "../ingest/totals.js";
import type { SettleProgress } from "../store/vector-store.js";
import type { Output } from "./output.js";
import { createProgress, type Progress } from "./progress.js";

/** Tells how far indexing is: reading, then what the store derives from it. */
export interface IndexProgress {
  reading(totals: Totals): void;
  settling(progress: SettleProgress): void;
  expect(files: number | null): void;
  end(): void;
}

/** With `events`, one JSON object per line on stdout instead of a bar. */
export function createIndexProgress(output: Output, events: boolean): IndexProgress {
  const start = performance.now();
  let expected: number | null = null;
  let bar: { readonly phase: string; readonly progress: Progress } | null = null;
  const show = (phase: string, what: string, total: number | null): Progress => {
    if (bar?.phase !== phase) {
      bar?.progress.end();
      bar = { phase, progress: createProgress(what, total) };
    }
    bar.progress.expect(total);
    return bar.progress;
  };
  const emit = (event: object) => output.line(JSON.stringify({ event: "progress", ...event }));
  return {
    expect(files) {
      expected = files;
    },
    reading(totals) {
      const seconds = (performance.now() - start) / 1000;
      const cellsPerSecond = Math.round(totals.cells / Math.max(seconds, 0.001));
      if (events) {
        const share = expected === null ? null : totals.files / Math.max(1, expected);
        const secondsLeft = share ? Math.max(0, Math.ceil(seconds / share - seconds)) : null;
        emit({ phase: "reading", total: expected, ...totals, cellsPerSecond, secondsLeft });
        return;
      }
      const { cells, duplicate, rejected } = totals;
      const counts = `${cells} cells: ${totals.new} new, ${duplicate} duplicate, ${rejected} rejected; ${cellsPerSecond} cells/s`;
      show("reading", "files", expected).update(totals.files, counts);
    },
    settling({ phase, done, total }) {
      if (events) emit({ phase, done, total });
      else show(phase, `cells in the ${phase === "graph" ? "graph" : "index of words"}`, total).update(done);
    },
    end() {
      bar?.progress.end();
    },
  };
}
