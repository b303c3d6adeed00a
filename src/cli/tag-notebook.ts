import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { RecommenderError } from "../errors.js";
import { writeLabelTags } from "../label/write-tags.js";

export interface Tagged {
  readonly cells: number;
  /** Cells whose tags are other ones now. */
  readonly changed: number;
}

/**
 * Puts labels, by the index of their cell, into the notebook at `path`; a notebook that has them already is not written.
 * The file is replaced only when its new text is complete, and keeps its mode; a link stays a link.
 */
export function tagNotebook(
  path: string,
  labels: ReadonlyMap<number, readonly string[]>,
  labelSet: readonly string[],
): Tagged {
  if (labels.size === 0) return { cells: 0, changed: 0 };
  const file = realpathSync(path);
  const bytes = readFileSync(file);
  const before = bytes.toString("utf8");
  if (!Buffer.from(before).equals(bytes)) {
    throw new RecommenderError("NOT_A_NOTEBOOK", "it is not UTF-8, so it could not be left as it is; save it as UTF-8");
  }
  const after = writeLabelTags(before, labels, labelSet);
  if (after === before) return { cells: labels.size, changed: 0 };
  replaceFile(file, after);
  const [old, written] = [readCells(before), readCells(after)];
  return { cells: labels.size, changed: written.filter((cell, at) => cell !== old[at]).length };
}

/** The text of every cell, in the order of the file. */
function readCells(ipynb: string): string[] {
  const { cells, worksheets = [] } = JSON.parse(ipynb.replace(/^\uFEFF/, "")) as {
    cells?: unknown[];
    worksheets?: { cells?: unknown[] }[];
  };
  return (cells ?? worksheets.flatMap((sheet) => sheet.cells ?? [])).map((cell) => JSON.stringify(cell));
}

/** A reader sees the old file or the new one, never a part; so does whoever looks after a crash. */
function replaceFile(file: string, text: string): void {
  // Renaming needs no right to write the file itself: somebody who took that right away means it.
  accessSync(file, constants.W_OK);
  const scratch = join(dirname(file), `.${basename(file)}.${process.pid}.part`);
  try {
    const descriptor = openSync(scratch, "wx");
    try {
      fchmodSync(descriptor, statSync(file).mode & 0o7777);
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(scratch, file);
  } finally {
    rmSync(scratch, { force: true });
  }
}
