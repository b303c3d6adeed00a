/** How far a long command is. On a terminal a bar with rate and time left, elsewhere a plain line now and then. */
export interface Progress {
  /** `detail` is what else there is to tell of it; `later` are seconds of other work that follows. */
  update(done: number, detail?: string, later?: number): void;
  /** From now on it is so many; null where nobody knows. */
  expect(total: number | null): void;
  end(): void;
}

const BAR_WIDTH = 30;
const TERMINAL_MS = 100;
const PLAIN_MS = 10_000;

/** `total` is null where nobody knows it. */
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
      if (now - shown < (stream.isTTY ? TERMINAL_MS : PLAIN_MS) && !(stream.isTTY && done === expected)) return;
      shown = now;
      drawn = true;
      const text = describe(what, done, expected, (now - start) / 1000, later) + (detail === "" ? "" : `; ${detail}`);
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

function describe(what: string, done: number, total: number | null, seconds: number, later: number): string {
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
