import type { IndexProgress } from "../ask/index-corpus.js";
import type { Totals } from "../ingest/report.js";
import type { Output } from "./output.js";

/** Progress of a long command: a bar with rate and time left on a terminal, otherwise a plain line now and then. */
export interface Progress {
  /** `detail` is appended to the line; `later` is the estimated time of the remaining stages in seconds. */
  update(done: number, detail?: string, later?: number): void;
  /** Sets the total; null if it is unknown. */
  expect(total: number | null): void;
  end(): void;
}

const BAR_WIDTH = 30;
const TERMINAL_INTERVAL_MS = 100;
const LOG_INTERVAL_MS = 10_000;

/** `total` is null if it is unknown. */
export function createProgress(
  what: string,
  total: number | null,
  stream: Pick<NodeJS.WriteStream, "isTTY" | "write"> = process.stderr,
): Progress {
  const start = performance.now();
  let expected = total;
  let shown = start;
  let drawn = false;
  return {
    update(done, detail = "", later = 0) {
      const now = performance.now();
      if (now - shown < (stream.isTTY ? TERMINAL_INTERVAL_MS : LOG_INTERVAL_MS) && !(stream.isTTY && done === expected))
        return;
      shown = now;
      drawn = true;
      const text =
        describeProgress(what, done, expected, (now - start) / 1000, later) + (detail === "" ? "" : `; ${detail}`);
      const bar = expected === null ? "" : `${drawBar(done, expected)} `;
      stream.write(stream.isTTY ? `\r\u001b[K${bar}${text}` : `${text}\n`);
    },
    expect(count) {
      expected = count;
    },
    end() {
      if (drawn && stream.isTTY) stream.write("\r\u001b[K");
    },
  };
}

function drawBar(done: number, total: number): string {
  const filled = Math.min(BAR_WIDTH, Math.round((BAR_WIDTH * done) / Math.max(1, total)));
  return `[${"=".repeat(filled)}${" ".repeat(BAR_WIDTH - filled)}]`;
}

function describeProgress(what: string, done: number, total: number | null, seconds: number, later: number): string {
  const rate = done / Math.max(seconds, 0.001);
  const speed = `${rate.toFixed(rate < 10 ? 1 : 0)}/s`;
  if (total === null) return `${done} ${what}, ${speed}`;
  const left = Math.max(0, total - done) / Math.max(rate, 0.001) + later;
  return `${done}/${total} ${what}, ${speed}, ${formatSeconds(left)} left`;
}

function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  return seconds < 3600 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

/** Indexes with fewer cells have no graph. */
const MIN_GRAPH_CELLS = 50_000;
/** Time to build the graph, relative to the time to read and store the cells. */
const GRAPH_SHARE = 0.5;

/** With `events`, one JSON object per line on stdout instead of a bar. */
export function createIndexProgress(
  output: Output,
  events: boolean,
  stream: Parameters<typeof createProgress>[2] = process.stderr,
): IndexProgress {
  const start = performance.now();
  let expected: number | null = null;
  let before = 0;
  // The rate is measured from the first report, because the first files are read long before.
  let bar: { readonly phase: string; readonly progress: Progress } = {
    phase: "reading",
    progress: createProgress("files", null, stream),
  };
  const show = (phase: string, what: string, total: number | null): Progress => {
    if (bar.phase !== phase) {
      bar.progress.end();
      bar = { phase, progress: createProgress(what, total, stream) };
    }
    bar.progress.expect(total);
    return bar.progress;
  };
  const emit = (event: object) => output.line(JSON.stringify({ event: "progress", ...event }));
  let settlingFrom: { readonly phase: string; readonly at: number } | null = null;
  return {
    expect(files, cells) {
      expected = files;
      before = cells;
    },
    reading(totals) {
      const seconds = (performance.now() - start) / 1000;
      const cellsPerSecond = Math.round(totals.cells / Math.max(seconds, 0.001));
      const later = estimateGraph(totals, expected, before, seconds);
      if (events) {
        const share = expected === null ? null : totals.files / Math.max(1, expected);
        const secondsLeft = share ? Math.ceil(Math.max(0, seconds / share - seconds) + later) : null;
        emit({ phase: "reading", total: expected, ...totals, cellsPerSecond, secondsLeft });
        return;
      }
      const { cells, duplicate, rejected } = totals;
      const counts = `${cells} cells: ${totals.new} new, ${duplicate} duplicate, ${rejected} rejected; ${cellsPerSecond} cells/s`;
      show("reading", "files", expected).update(totals.files, counts, later);
    },
    settling({ phase, done, total }) {
      if (!events) {
        show(phase, `cells in the ${phase === "graph" ? "graph" : "word index"}`, total).update(done);
        return;
      }
      if (settlingFrom?.phase !== phase) settlingFrom = { phase, at: performance.now() };
      const seconds = (performance.now() - settlingFrom.at) / 1000;
      const rest = Math.max(0, total - done);
      const secondsLeft = rest === 0 ? 0 : seconds === 0 ? null : Math.ceil((seconds * rest) / done);
      emit({ phase, done, total, secondsLeft });
    },
    end() {
      bar.progress.end();
    },
  };
}

/** Estimated seconds to build the graph after all files are read. */
function estimateGraph(totals: Totals, expected: number | null, before: number, seconds: number): number {
  const share = expected === null || totals.files === 0 ? 1 : Math.min(1, totals.files / expected);
  const added = totals.new / share;
  return before + added < MIN_GRAPH_CELLS ? 0 : (GRAPH_SHARE * seconds) / share;
}
