import { appendFileSync, existsSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { RecommenderError } from "../../errors.js";
import { makeFolders } from "../../notebook/file-system.js";
import { parseJsonLines } from "../../notebook/json-text.js";
import type { TargetProblems } from "../result-document.js";
import { hasFailed } from "./ask-target.js";

/** Version of the entries. Increase it when they change: it is part of the key, so older journals are not resumed. */
export const JOURNAL_FORMAT = 4;

/** The answers of a run so far, on disk, so that an interrupted run can be resumed. */
export interface Journal<T> {
  readonly folder: string;
  /**
   * Answers of an earlier, interrupted run with the same settings. Failed questions are not included, so they are asked
   * again.
   */
  readonly entries: readonly T[];
  add(entry: T): void;
  /** Deletes the journal of a completed run. */
  finish(): void;
  /** Whether the run is not finished. */
  isOpen(): boolean;
}

export const journalFolder = (root: string, key: string): string => join(root, "eval", key);

/** `key` identifies the run: settings, seeds and code. */
export function openJournal<T>(root: string, key: string): Journal<T> {
  const folder = journalFolder(root, key);
  const file = join(folder, "answers.jsonl");
  makeFolders(folder);
  let open = true;
  return {
    folder,
    entries: (existsSync(file) ? readEntries<T>(file) : []).filter((entry) => !isFailure(entry)),
    add: (entry) => appendFileSync(file, `${JSON.stringify(entry)}\n`),
    finish: () => {
      open = false;
    },
    isOpen: () => open,
  };
}

function isFailure(entry: unknown): boolean {
  return hasFailed((entry as { readonly problems?: Partial<TargetProblems> }).problems ?? {});
}

/** A killed process may leave half a line. It is removed, and its question is asked again. */
function readEntries<T>(file: string): T[] {
  const text = readFileSync(file, "utf8");
  const completeLines = text.slice(0, text.lastIndexOf("\n") + 1);
  if (completeLines.length < text.length) truncateSync(file, Buffer.byteLength(completeLines));
  return Array.from(parseJsonLines(completeLines), (line) => {
    if ("fault" in line)
      throw new RecommenderError("INPUT_INVALID", `${file}, line ${line.line} is corrupt; remove it`);
    return line.value as T;
  });
}
