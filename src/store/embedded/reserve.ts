import { existsSync, rmSync, statfsSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILE = "reserve";
/** In bytes: for the log, which is brought into the file first, and some hundred kilobytes that a removal writes before it frees anything. */
const MOST = 2 ** 21;
const LEAST = 2 ** 16;
/** What opening an index takes: the file by which processes find what is in the log, and that of a lock. */
export const LENT = 2 ** 16;
/** Of the room that is left, so that a small disk is not filled by this. */
const SHARE = 1 / 8;

/** Room that is kept on the disk for removals: on a full one, they could not be written either. */
export function createReserve(folder: string) {
  const file = join(folder, FILE);
  return {
    /** Where there is none yet: so many bytes where they are left, or unless told what a disk with so much room can spare. */
    keep(wanted?: number): void {
      if (existsSync(file)) return;
      try {
        const { bavail, bsize } = statfsSync(folder);
        const left = bavail * bsize;
        const size = Math.floor(Math.min(left, wanted ?? Math.min(MOST, left * SHARE)));
        // Not zeros: some file systems keep none of those.
        if (size >= LEAST) writeFileSync(file, Buffer.alloc(size, 1));
      } catch {
        rmSync(file, { force: true });
      }
    },
    /** Gives back as much as opening an index takes; false where there is not so much. */
    lend(): boolean {
      const size = existsSync(file) ? statSync(file).size : 0;
      if (size < LENT) return false;
      truncateSync(file, size - LENT);
      return true;
    },
    /** Gives all of it back, and says how much that was. */
    release(): number {
      const size = existsSync(file) ? statSync(file).size : 0;
      rmSync(file, { force: true });
      return size;
    },
  };
}
