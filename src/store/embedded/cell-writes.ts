import { checksum } from "../checksum.js";
import type { NewCell } from "../vector-store.js";
import { type Database, keepsProfiles, type Statement } from "./database.js";
import { toKey } from "./hex-id.js";
import type { LabelCodec } from "./label-bits.js";
import type { HeldChanges } from "./notebook-writes.js";
import type { CountChanges } from "./state.js";
import { writeVector } from "./vector-blob.js";

/** Puts cells into the tables, and takes out those that nothing holds any more. */
export function createCellWrites(database: Database, codec: LabelCodec, keptRemovals: number) {
  const insert = database.prepare<[Buffer, Buffer, Buffer, number, number, number]>(
    `insert into cells (id, code, clean, labels, primary_label, checksum) values (?, ?, ?, ?, ?, ?)
      on conflict (id) do nothing`,
  );
  let insertVector: Statement<[number, Buffer, Buffer | null]> | null = null;
  /** An index of an older program gets its column for profiles from the first one that writes. */
  const prepareVector = () => {
    if (!keepsProfiles(database)) database.exec("alter table vectors add column profile blob");
    return database.prepare<[number, Buffer, Buffer | null]>(
      "insert into vectors (row, vector, profile) values (?, ?, ?)",
    );
  };
  const known = database
    .prepare<[string]>(
      `select j.key, c.row, cast(c.labels as integer), cast(c.primary_label as integer)
        from json_each(?) j cross join cells c on c.id = unhex(j.value)`,
    )
    .raw();
  const addHeld = database.prepare<[number, number]>(
    `insert into held (cell, occurrences) values (?, ?)
      on conflict (cell) do update set occurrences = occurrences + excluded.occurrences`,
  );
  const heldOf = database
    .prepare<[number]>(
      "select cast(h.occurrences as integer), cast(c.labels as integer) from held h join cells c on c.row = h.cell where h.cell = ?",
    )
    .raw();
  const deletions = ["cells where row", "vectors where row", "held where cell"].map((what) =>
    database.prepare<[number]>(`delete from ${what} = ?`),
  );
  const noteRemoval = database.prepare<[number]>("insert into removed (row) values (?)");
  const lastRemoval = database
    .prepare("select max(seq), cast((select pruned from state) as integer) from removed")
    .raw();
  const forget = database.prepare<[number]>("delete from removed where seq <= ?");
  const setPruned = database.prepare<[number]>("update state set pruned = ?");
  const tally = (counts: CountChanges, bits: number, by: number) => {
    counts.cells += by;
    counts.labels.set(bits, (counts.labels.get(bits) ?? 0) + by);
  };

  return {
    /** False where it was there already. */
    put({ id, code, clean, labels, primary, vector, profile }: NewCell, counts: CountChanges): boolean {
      const { bits, primary: main } = codec.encode(labels, primary);
      const cleaned = Buffer.from(clean);
      const { changes, lastInsertRowid } = insert.run(
        toKey(id),
        Buffer.from(code),
        cleaned,
        bits,
        main,
        checksum(cleaned, bits, main),
      );
      if (changes === 0) return false;
      insertVector ??= prepareVector();
      insertVector.run(
        Number(lastInsertRowid),
        writeVector(vector),
        profile === undefined ? null : Buffer.from(profile),
      );
      tally(counts, bits, 1);
      return true;
    },

    /** Row and labels of those of these cells that are stored. */
    known: (ids: readonly string[]): Map<string, { row: number; labels: readonly string[] }> =>
      new Map(
        (known.all(JSON.stringify(ids)) as [number, number, number, number][]).map(([key, row, bits, primary]) => [
          ids[key]!,
          { row, labels: codec.decode({ bits, primary }).labels },
        ]),
      ),

    /** A cell that stands nowhere goes, and its row is noted for those who hold it in memory. */
    hold(held: HeldChanges, counts: CountChanges): void {
      for (const [cell, by] of held) {
        if (by !== 0) addHeld.run(cell, by);
        const [occurrences, bits] = heldOf.get(cell) as [number, number];
        if (occurrences > 0) continue;
        for (const deletion of deletions) deletion.run(cell);
        noteRemoval.run(cell);
        tally(counts, bits, -1);
      }
    },

    /** The list of removals is kept short; who has missed the start of it compares all rows. */
    prune(): void {
      const [last, pruned] = lastRemoval.get() as [number | null, number];
      if (last === null || last - pruned <= keptRemovals) return;
      const upTo = last - Math.floor(keptRemovals / 2);
      forget.run(upTo);
      setPruned.run(upTo);
    },
  };
}
