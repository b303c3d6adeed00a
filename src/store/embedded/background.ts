/** Runs work after a quiet period. Does not keep the process alive. */
export function createBackground(quietMs: number, work: (signal: AbortSignal) => Promise<void>) {
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  const stopping = new AbortController();

  const run = async () => {
    timer = null;
    // A failure loses nothing: the next run rebuilds the same files.
    running ??= work(stopping.signal)
      .catch(() => {})
      .finally(() => {
        running = null;
      });
  };

  return {
    later(): void {
      if (timer !== null) clearTimeout(timer);
      timer = setTimeout(run, quietMs);
      timer.unref();
    },
    /** Aborts the running work. */
    async stop(): Promise<void> {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      stopping.abort(new Error("the index is being closed"));
      await running;
    },
  };
}

/** Repeats work with a pause after each run. Does not keep the process alive. */
export function createRepeat(pauseMs: number, work: () => Promise<void>) {
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> = Promise.resolve();
  let isStopped = true;

  const beat = () => {
    // A failure is not reported here: the next read fails with the same reason.
    running = work()
      .catch(() => {})
      .finally(plan);
  };
  const plan = () => {
    if (isStopped) return;
    timer = setTimeout(beat, pauseMs);
    timer.unref();
  };

  return {
    start(): void {
      if (!isStopped) return;
      isStopped = false;
      plan();
    },
    /** Waits for the running work. */
    async stop(): Promise<void> {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
      await running;
    },
  };
}
