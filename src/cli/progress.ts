/** How far a long command is. On a terminal a bar with rate and time left, elsewhere a plain line now and then. */
export interface Progress {
  update(done: number): void;
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
  let shown = start;
  let drawn = false;
  return {
    update(done) {
      const now = performance.now();
      if (now - shown < (stream.isTTY ? TERMINAL_MS : PLAIN_MS) && !(stream.isTTY && done === total)) return;
      shown = now;
      drawn = true;
      const text = describe(what, done, total, (now - start) / 1000);
      stream.write(stream.isTTY ? `\r\u001b[K${total === null ? "" : `${drawBar(done, total)} `}${text}` : `${text}\n`);
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

function describe(what: string, done: number, total: number | null, seconds: number): string {
  const rate = done / Math.max(seconds, 0.001);
  const speed = `${rate.toFixed(rate < 10 ? 1 : 0)}/s`;
  if (total === null) return `${done} ${what}, ${speed}`;
  const left = (total - done) / Math.max(rate, 0.001);
  return `${done}/${total} ${what}, ${speed}, ${formatSeconds(left)} left`;
}

function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  return seconds < 3600 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
