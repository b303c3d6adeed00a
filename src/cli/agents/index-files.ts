import type { Services } from "../../app/compose.js";
import { indexCorpus } from "../../ask/index-corpus.js";
import { RecommenderError } from "../../errors.js";
import type { IndexOptions, IndexOutcome } from "../../mcp/backend.js";
import { openPaths } from "../../notebook/corpus/open-paths.js";
import type { Context } from "../context.js";

export const ACTIVITY = "celrec mcp";

/** Brings the index in step with files, as `celrec index` does. */
export async function indexFiles(
  open: Context["open"],
  paths: readonly string[],
  { source, signal, onProgress }: IndexOptions,
): Promise<IndexOutcome> {
  const opened = await openPaths(paths, source === undefined ? {} : { source });
  let expected: number | null = null;
  const progress = {
    expect: (files: number | null) => {
      expected = files;
    },
    reading: ({ files }: { files: number }) => onProgress(files, expected),
    settling: () => {},
    end: () => {},
  };
  const result = await openToWrite(open, (services) => indexCorpus(opened, services, { signal, progress }));
  if (result === null) throw new RecommenderError("NOT_FOUND", `There is no notebook in ${paths.join(", ")}.`);
  signal.throwIfAborted();
  const { files: _, skippedBecause: _reasons, ...totals } = result.totals;
  return { ...totals, reasons: result.rejections.first.map(({ name, reason }) => ({ name, reason })) };
}

/** Opens the index once more, to write: it is made where there is none. */
export async function openToWrite<T>(open: Context["open"], action: (services: Services) => Promise<T>): Promise<T> {
  const services = await open({ activity: ACTIVITY, hold: "call" });
  try {
    return await action(services);
  } finally {
    await services.close();
  }
}
