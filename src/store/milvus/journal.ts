import { randomBytes } from "node:crypto";
import { isIn } from "./expression.js";
import { ANCHOR } from "./rows.js";
import { type Level, type Tables, WINDOW } from "./tables.js";

/**
 * What is under way in an index, in a collection of its own. `current` says which collections are the index. A `write` is open
 * until its heads are there, then it is a `tidy` until what it replaced is gone. A `doubt` is a cell that may have lost its last
 * occurrence. A `lease` lets one process at a time remove and rebuild, and what a collector takes away is `trash` until it
 * has looked again.
 */
export type Kind = "current" | "write" | "tidy" | "doubt" | "lease" | "trash";

export interface JournalRow {
  readonly id: string;
  readonly kind: Kind;
  /** The write or the lease that it belongs to. */
  readonly owner: string;
  readonly cell_id: string;
  /** Changes while its owner lives. */
  readonly beat: number | string;
  /** JSON. */
  readonly about: string;
}

/** What a reader must know of the writes that are not over. */
export interface UnderWay {
  /** Open writes and those that tidy up. */
  readonly writes: ReadonlySet<string>;
  /** Whose rows need not be those of the head. */
  readonly notebooks: ReadonlySet<string>;
  /** Cells that may have no occurrence. */
  readonly doubted: ReadonlySet<string>;
}

export type Journal = ReturnType<typeof createJournal>;

const FIELDS = ["id", "kind", "owner", "cell_id", "beat", "about"] as const;
const EMPTY = { cell_id: "", about: "", code: "", clean: "", anchor: ANCHOR };

/** A name that nobody else has; in the order of time. */
export const newOwner = () => `${Date.now().toString(36).padStart(9, "0")}${randomBytes(5).toString("hex")}`;

export function createJournal(tables: Tables, name: string) {
  const read = async (filter: string, level: Level): Promise<JournalRow[]> => {
    const rows: JournalRow[] = [];
    for await (const page of tables.pages<JournalRow>(name, filter, WINDOW, { fields: FIELDS, level })) {
      rows.push(...page);
    }
    return rows;
  };
  const ofKinds = (...kinds: Kind[]) => isIn("kind", kinds);

  return {
    name,

    /** Rows of these kinds, as everybody sees them now. */
    rows: (...kinds: Kind[]) => read(ofKinds(...kinds), "Strong"),

    async underWay(level: Level): Promise<UnderWay> {
      const rows = await read(ofKinds("write", "tidy", "doubt"), level);
      const writes = rows.filter(({ kind }) => kind !== "doubt");
      return {
        writes: new Set(writes.map(({ owner }) => owner)),
        notebooks: new Set(writes.flatMap(({ about }) => JSON.parse(about) as string[])),
        doubted: new Set(rows.map(({ cell_id }) => cell_id)),
      };
    },

    /** What is not over, of anybody; what a moment ago was not there yet may be left out. */
    leftovers: () => read(ofKinds("write", "tidy", "doubt", "lease", "trash"), "Bounded"),

    /** A row that says that its owner lives; the same id again is the next beat. */
    announce: (kind: "current" | "write" | "tidy" | "lease", owner: string, about: unknown, beat = Date.now()) =>
      tables.upsert(name, [{ ...EMPTY, id: idOf(kind, owner), kind, owner, beat, about: JSON.stringify(about) }]),

    withdraw: (kind: "write" | "tidy" | "lease", owner: string) => tables.remove(name, [idOf(kind, owner)]),

    doubt: (owner: string, cells: Iterable<string>) =>
      tables.upsert(
        name,
        [...new Set(cells)].map((cell_id) => {
          const id = `doubt/${owner}/${cell_id}`;
          return { ...EMPTY, id, kind: "doubt", owner, cell_id, beat: 0 };
        }),
      ),

    forget: (rows: readonly Pick<JournalRow, "id">[]) =>
      tables.remove(
        name,
        rows.map(({ id }) => id),
      ),
  };
}

/** A write that tidies up is the same row: it changes its kind in one step. */
function idOf(kind: Kind, owner: string): string {
  return kind === "current" ? "current" : `${kind === "lease" ? "lease" : "write"}/${owner}`;
}
