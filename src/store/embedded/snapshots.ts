import { readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isSealed, seal, withoutSeal } from "./seal.js";

/** A file derived from the database: `name-generation-row.snapshot` covers the rows up to `row`. */
export interface Snapshot {
  readonly file: string;
  readonly generation: string;
  readonly row: number;
}

/** The snapshot of this generation, if there is a whole one: some readers of such files end the process on a damaged one. */
export function findSnapshot(folder: string, name: string, generation: string): Snapshot | null {
  const found = list(folder, name).find((snapshot) => snapshot.generation === generation);
  return found !== undefined && isSealed(join(folder, found.file)) ? found : null;
}

/** What was written to a snapshot. */
export function readSnapshot(folder: string, { file }: Snapshot): Uint8Array {
  return withoutSeal(readFileSync(join(folder, file)));
}

/** Puts a snapshot in place of the older ones; it is there in full or not at all. `write` gets the path to write to. */
export function replaceSnapshot(
  folder: string,
  name: string,
  generation: string,
  row: number,
  write: (path: string) => void,
): void {
  const file = `${name}-${generation}-${row}.snapshot`;
  for (const left of readdirSync(folder)) if (left.endsWith(".part")) rmSync(join(folder, left), { force: true });
  write(join(folder, `${file}.part`));
  seal(join(folder, `${file}.part`));
  renameSync(join(folder, `${file}.part`), join(folder, file));
  for (const old of list(folder, name)) if (old.file !== file) rmSync(join(folder, old.file), { force: true });
}

function list(folder: string, name: string): Snapshot[] {
  const pattern = new RegExp(`^${name}-([0-9a-f]+)-(\\d+)\\.snapshot$`);
  return readdirSync(folder).flatMap((file) => {
    const match = pattern.exec(file);
    return match === null ? [] : [{ file, generation: match[1]!, row: Number(match[2]) }];
  });
}
