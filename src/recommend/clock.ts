/** Measures the stages of one request in milliseconds. The times of a stage that runs twice are added. */
export type Clock = ReturnType<typeof createClock>;

/** Creates a clock whose stages do not start after the signal is aborted. */
export function createClock(signal?: AbortSignal) {
  const start = performance.now();
  const took: Record<string, number> = {};
  const note = (stage: string, from: number) => {
    took[stage] = round((took[stage] ?? 0) + performance.now() - from);
  };
  return {
    /** The signal of the request; pass it on to the store. */
    signal,
    time<T>(stage: string, action: () => T): T {
      signal?.throwIfAborted();
      const from = performance.now();
      const result = action();
      note(stage, from);
      return result;
    },
    async timeAsync<T>(stage: string, action: () => Promise<T>): Promise<T> {
      signal?.throwIfAborted();
      const from = performance.now();
      const result = await action();
      note(stage, from);
      return result;
    },
    took: (): Record<string, number> => ({ ...took, total: round(performance.now() - start) }),
  };
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}
