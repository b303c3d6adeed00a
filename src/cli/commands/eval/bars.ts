import { createProgress, type Progress } from "../../progress.js";

/** One progress bar at a time, a new one for every stage of a run. */
export function createBars() {
  let bar: { what: string; progress: Progress } | null = null;
  return {
    update(what: string, done: number, total: number) {
      if (bar?.what !== what) {
        bar?.progress.end();
        bar = { what, progress: createProgress(what, total) };
      }
      bar.progress.update(done);
    },
    end: () => bar?.progress.end(),
  };
}
