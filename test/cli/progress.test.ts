import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createProgress } from "../../src/cli/progress.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

function collect(isTTY: boolean) {
  const written: string[] = [];
  return { written, stream: { isTTY, write: (text: string | Uint8Array) => written.push(String(text)) > 0 } };
}

describe("progress", () => {
  it("prints a plain line every ten seconds if there is no terminal", () => {
    const { written, stream } = collect(false);
    const progress = createProgress("notebooks", 100, stream);
    for (let done = 1; done <= 40; done += 1) {
      vi.advanceTimersByTime(1_000);
      progress.update(done);
    }
    progress.end();
    expect(written).toEqual([
      "10/100 notebooks, 1.0/s, 2 min left\n",
      "20/100 notebooks, 1.0/s, 2 min left\n",
      "30/100 notebooks, 1.0/s, 2 min left\n",
      "40/100 notebooks, 1.0/s, 60 s left\n".replace("60 s", "1 min"),
    ]);
  });

  it("draws a bar with rate and time left on a terminal, and wipes it at the end", () => {
    const { written, stream } = collect(true);
    const progress = createProgress("notebooks", 4, stream);
    vi.advanceTimersByTime(50);
    progress.update(1);
    vi.advanceTimersByTime(50);
    progress.update(2);
    progress.update(4);
    progress.end();
    expect(written).toEqual([
      "\r\u001b[K[===============               ] 2/4 notebooks, 20/s, 1 s left",
      "\r\u001b[K[==============================] 4/4 notebooks, 40/s, 0 s left",
      "\r\u001b[K",
    ]);
  });

  it("shows only what is done if the total is unknown", () => {
    for (const isTTY of [true, false]) {
      const { written, stream } = collect(isTTY);
      const progress = createProgress("cells", null, stream);
      vi.advanceTimersByTime(10_000);
      progress.update(256);
      expect(written).toEqual([isTTY ? "\r\u001b[K256 cells, 26/s" : "256 cells, 26/s\n"]);
    }
  });

  it("does not fail if there is more work than expected", () => {
    const { written, stream } = collect(true);
    const progress = createProgress("cells", 1, stream);
    vi.advanceTimersByTime(1_000);
    progress.update(5);
    expect(written[0]).toContain("[==============================] 5/1 cells");
  });
});
