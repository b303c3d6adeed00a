import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { RecommenderError } from "../errors.js";
import type { RejectedEntry } from "../ingest/report.js";
import { makeFolders } from "../notebook/file-system.js";

/** The files that a run did not take: all of them in a file, the first in memory. */
export interface Rejections {
  /** Those to show. */
  readonly first: readonly RejectedEntry[];
  readonly count: number;
  readonly file: string;
  /** Whether notebooks may lie where nobody could look. */
  readonly hidesSome: boolean;
  add(rejected: readonly RejectedEntry[]): void;
  close(): void;
}

const KEPT = 100;

/** Writes a line `{source, name, reason}` for each rejected file; the file of the run before is removed. */
export function openRejections(file: string): Rejections {
  writing(file, () => rmSync(file, { force: true }));
  const first: RejectedEntry[] = [];
  let count = 0;
  let hidesSome = false;
  let descriptor: number | null = null;
  return {
    first,
    file,
    get count() {
      return count;
    },
    get hidesSome() {
      return hidesSome;
    },
    add(rejected) {
      if (rejected.length === 0) return;
      count += rejected.length;
      hidesSome ||= rejected.some(({ hides }) => hides);
      first.push(...rejected.slice(0, KEPT - first.length));
      descriptor ??= writing(file, () => {
        makeFolders(dirname(file));
        return openSync(file, "w");
      });
      const lines = rejected.map(({ source, name, reason }) => `${JSON.stringify({ source, name, reason })}\n`);
      writeSync(descriptor, lines.join(""));
    },
    close() {
      if (descriptor !== null) closeSync(descriptor);
    },
  };
}

function writing<T>(file: string, action: () => T): T {
  try {
    return action();
  } catch (cause) {
    const { message } = cause as Error;
    throw new RecommenderError("STORE_UNAVAILABLE", `${file} cannot be written; is the folder yours? (${message})`, {
      cause,
    });
  }
}
