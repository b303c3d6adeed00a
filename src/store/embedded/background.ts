/** Work that is done by itself when nothing has come for a while. It keeps no process alive. */
export function createBackground(quietMs: number, work: (signal: AbortSignal) => Promise<void>) {
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  const stopping = new AbortController();

  const run = async () => {
    timer = null;
    // Where it fails, nothing is lost: what it would have written is made anew by the next one.
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
    /** Ends what is under way. */
    async stop(): Promise<void> {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      stopping.abort(new Error("the index is being closed"));
      await running;
    },
  };
}

/** Work that is done again and again, each time so long after the last one ended. It keeps no process alive. */
export function createRepeat(pauseMs: number, work: () => Promise<void>) {
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> = Promise.resolve();
  let isStopped = true;

  const beat = () => {
    // Where it fails, whoever asks next fails as well, and is told why.
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
    /** Waits for what is under way. */
    async stop(): Promise<void> {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
      await running;
    },
  };
}
