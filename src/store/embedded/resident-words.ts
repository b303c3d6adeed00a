import { setImmediate as nextTurn } from "node:timers/promises";
import { subwords } from "../../python/subwords.js";
import { type LexicalParts, packLexical, readLexical, toLexicalState } from "../lexical-file.js";
import { createLexicalIndex, type LexicalIndex } from "../lexical-index.js";
import { idOfCode } from "../stored-bytes.js";
import type { Database } from "./database.js";
import { damaged } from "./disk-errors.js";
import { type ChangeSink, type Cursor, createChanges, createReplica } from "./replica.js";
import type { Snapshots } from "./snapshots.js";
import type { IndexState, State } from "./state.js";

/** Changes with the layout of the file or with the splitter, so that an old file is rebuilt instead of misread. */
const FORMAT = "words-3";

interface Loaded {
  readonly state: IndexState;
  readonly index: LexicalIndex;
  readonly cursor: Cursor;
  /** The last row of the file. */
  savedRow: number;
}

interface ResidentWordsDeps {
  readonly database: Database;
  readonly folder: string;
  readonly state: State;
  readonly snapshots: Snapshots;
  /** Whether queries are answered while new rows are read. */
  readonly allowsStale: boolean;
}

/**
 * The words of all cells by row, a replica of the database. They are saved, so that a large index need not be read
 * again.
 */
export function createResidentWords({ database, folder, state, snapshots, allowsStale }: ResidentWordsDeps) {
  const catchUp = createChanges(database, state, "cast(c.id as blob), cast(c.code as blob) from cells c");

  const toSink = ({ index }: Loaded): ChangeSink => ({
    add([row, id, code]) {
      // Words of a damaged cell would affect scores although the cell is never shown.
      if (idOfCode(code as Buffer) !== (id as Buffer).toString("hex"))
        throw damaged(folder, `the code of row ${row} differs from what was stored`);
      index.add(row as number, subwords((code as Buffer).toString()));
    },
    remove: index.remove,
    rows: index.rows,
    tidy: index.tidy,
  });
  const { current, nearby, forget } = createReplica<Loaded>({
    state,
    allowsStale,
    load: (now) => load(snapshots, now),
    advance: (into) => catchUp(toSink(into), into.cursor, into.state.generation),
  });

  return {
    current: async (): Promise<LexicalIndex> => (await current()).index,
    nearby: async (): Promise<LexicalIndex> => (await nearby()).index,
    forget,

    /** Saves the words if `isWorth` says that enough is new. */
    async save(isWorth: (added: number, size: number) => boolean): Promise<void> {
      const words = await current();
      const { index, cursor } = words;
      if (cursor.row === words.savedRow || !isWorth(cursor.row - words.savedRow, index.size)) return;
      // Changes during the compaction are read again when the file is loaded.
      const { row, removal, commits } = cursor;
      for (const _ of index.compact()) await nextTurn();
      const { parts, slices } = packLexical(index.state);
      const facts = { row, removal: removal ?? 0, commits, format: FORMAT, parts };
      const { index: id, generation } = words.state;
      await snapshots.write("words", { ...facts, index: id, generation }, slices());
      words.savedRow = facts.row;
    },
  };
}

export type ResidentWords = ReturnType<typeof createResidentWords>;

async function load(snapshots: Snapshots, now: IndexState): Promise<Loaded> {
  const snapshot = snapshots.find("words", FORMAT, now).at(-1);
  const content =
    snapshot === undefined
      ? null
      : await snapshots.readShared(snapshot, (sealed) =>
          readLexical(sealed.facts.parts as LexicalParts, sealed.read, () => nextTurn()),
        );
  const saved = content && toLexicalState(content);
  if (snapshot === undefined || saved === null) {
    return { state: now, index: createLexicalIndex(), cursor: { row: 0, removal: null, commits: -1 }, savedRow: 0 };
  }
  const { row, removal, commits } = snapshot.facts;
  return { state: now, index: createLexicalIndex({}, saved), cursor: { row, removal, commits }, savedRow: row };
}
