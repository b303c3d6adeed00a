import { existsSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILE = "reserve";
/** In bytes; a removal writes some hundred kilobytes to the log before it frees anything. */
const MOST = 2 ** 20;
const LEAST = 2 ** 16;
/** Of the room that is left, so that a small disk is not filled by this. */
const SHARE = 1 / 8;

/** Room that is kept on the disk for removals: on a full one, they could not be written either. */
export function createReserve(folder: string) {
  const file = join(folder, FILE);
  return {
    /** Where there is none yet, and the disk has plenty. */
    keep(): void {
      if (existsSync(file)) return;
      try {
        const { bavail, bsize } = statfsSync(folder);
        const size = Math.min(MOST, Math.floor(bavail * bsize * SHARE));
        // Not zeros: some file systems keep none of those.
        if (size >= LEAST) writeFileSync(file, Buffer.alloc(size, 1));
      } catch {
        rmSync(file, { force: true });
      }
    },
    /** False where there was none to give back. */
    release(): boolean {
      if (!existsSync(file)) return false;
      rmSync(file, { force: true });
      return true;
    },
  };
}
