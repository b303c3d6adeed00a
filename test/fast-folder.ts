import { existsSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const MEMORY = "/dev/shm";
const MIN_BYTES = 2 ** 30;

/** Folder of temporary indexes: in memory if there is space, because SQLite waits for the disk at every commit. */
export const fastFolder: string = hasRoom() ? MEMORY : tmpdir();

function hasRoom(): boolean {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize > MIN_BYTES;
}
