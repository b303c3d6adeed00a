import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Output } from "../../src/cli/output.js";
import { createIndexProgress } from "../../src/cli/progress.js";
import { NO_TOTALS } from "../../src/ingest/report.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

function follow() {
  const lines: string[] = [];
  const output = { line: (text: string) => lines.push(text) } as unknown as Output;
  return { progress: createIndexProgress(output, true), last: () => JSON.parse(lines.at(-1)!) };
}

describe("the progress of indexing", () => {
  it("shows the time left for reading, and for building the graph if there will be one", () => {
    const { progress, last } = follow();
    vi.advanceTimersByTime(10_000);
    progress.reading({ ...NO_TOTALS, files: 25, cells: 20_000, new: 10_000 });
    expect(last()).toMatchObject({ phase: "reading", total: null, cellsPerSecond: 2_000, secondsLeft: null });
    progress.expect(100, 5_000);
    progress.reading({ ...NO_TOTALS, files: 25, cells: 20_000, new: 10_000 });
    // The index will have 45,000 cells, too few for a graph.
    expect(last()).toMatchObject({ total: 100, secondsLeft: 30 });
    progress.expect(100, 10_000);
    progress.reading({ ...NO_TOTALS, files: 25, cells: 20_000, new: 10_000 });
    expect(last()).toMatchObject({ total: 100, secondsLeft: 50 });
  });

  it("counts the rate from the start, not from the first report", () => {
    const written: string[] = [];
    const stream = { isTTY: false, write: (text: string) => written.push(text) > 0 } as unknown as NodeJS.WriteStream;
    const progress = createIndexProgress({} as Output, false, stream);
    progress.expect(100, 0);
    vi.advanceTimersByTime(10_000);
    progress.reading({ ...NO_TOTALS, files: 20, cells: 200, new: 200 });
    expect(written).toEqual([
      "20/100 files, 2.0/s, 40 s left; 200 cells: 200 new, 0 duplicate, 0 rejected; 20 cells/s\n",
    ]);
  });

  it("reports the progress of the graph", () => {
    const { progress, last } = follow();
    progress.settling({ phase: "words", done: 60_000, total: 60_000 });
    expect(last()).toEqual({ event: "progress", phase: "words", done: 60_000, total: 60_000, secondsLeft: 0 });
    vi.advanceTimersByTime(5_000);
    progress.settling({ phase: "graph", done: 0, total: 60_000 });
    vi.advanceTimersByTime(2_000);
    progress.settling({ phase: "graph", done: 20_000, total: 60_000 });
    expect(last()).toEqual({ event: "progress", phase: "graph", done: 20_000, total: 60_000, secondsLeft: 4 });
  });
});
