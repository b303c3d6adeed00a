import { openDamaged } from "./embedded/database.js";
import { guard, readWhatIsLeft } from "./embedded/guard.js";
import { createSalvage } from "./embedded/salvage.js";
import type { IndexIdentity } from "./vector-store.js";

/** What a reading of the whole index found. */
export interface Examination {
  readonly notebooks: number;
  /** Notebooks of which a cell is not what was stored, by source and name. */
  readonly incomplete: readonly { readonly source: string; readonly name: string }[];
  /** Notebooks that cannot be read at all. */
  readonly lost: number;
}

/** Reads every notebook and every cell as they were at one moment, also while others write, and changes nothing. */
export function examineIndex(
  folder: string,
  identity: IndexIdentity,
  onNotebook: (done: number) => void = () => {},
): Examination {
  const database = guard(folder, () => openDamaged(folder));
  try {
    return readWhatIsLeft(folder, () => {
      database.exec("begin");
      const incomplete: { source: string; name: string }[] = [];
      let notebooks = 0;
      let lost = 0;
      for (const read of createSalvage(database, identity).notebooks()) {
        notebooks += 1;
        if (read === null) lost += 1;
        else if (!read.isWhole) incomplete.push({ source: read.source, name: read.name });
        onNotebook(notebooks);
      }
      return { notebooks, incomplete, lost };
    });
  } finally {
    database.close();
  }
}
