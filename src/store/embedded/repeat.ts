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
