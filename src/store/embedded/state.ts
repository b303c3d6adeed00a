import { randomBytes } from "node:crypto";
import { RecommenderError } from "../../errors.js";
import type { Counts, IndexIdentity } from "../vector-store.js";
import { type Database, hasTable, inTransaction } from "./database.js";
import { readJson } from "./disk-errors.js";

/** Changes with every commit. */
export interface IndexState {
  /** Random id of this index: derived files of another index are ignored. */
  readonly index: string;
  /** Changes when everything is replaced: by a rewrite or by clear. */
  readonly generation: string;
  readonly commits: number;
  /** Removals with a number up to this one are no longer listed. */
  readonly pruned: number;
}

/** The changes of the counters in a transaction. */
export interface CountChanges {
  cells: number;
  notebooks: number;
  occurrences: number;
  /** Changes of the cell counts by combination of label bits. */
  readonly labels: Map<number, number>;
}

export const noChanges = (): CountChanges => ({ cells: 0, notebooks: 0, occurrences: 0, labels: new Map() });

export function createState(database: Database, folder: string) {
  const read = database
    .prepare(
      "select lower(hex(index_id)), lower(hex(generation)), cast(commits as integer), cast(pruned as integer) from state",
    )
    .raw();
  const identity = database.prepare("select cast(identity as blob) from state").raw();
  const totals = database
    .prepare("select cast(cells as integer), cast(notebooks as integer), cast(occurrences as integer) from state")
    .raw();
  const byLabels = database.prepare("select labels, cast(cells as integer) from label_counts").raw();
  const advance = database.prepare<[number, number, number]>(
    `update state set commits = commits + 1,
      cells = cells + ?, notebooks = notebooks + ?, occurrences = occurrences + ?`,
  );
  const countLabels = database.prepare<[number, number]>(
    `insert into label_counts (labels, cells) values (?, ?)
      on conflict (labels) do update set cells = cells + excluded.cells`,
  );

  return {
    /** The state; null if the creation of the index was interrupted. */
    read(): IndexState | null {
      const row = read.get() as [string, string, number, number] | undefined;
      if (row === undefined) return null;
      const [index, generation, commits, pruned] = row;
      return { index, generation, commits, pruned };
    },
    identity: (): IndexIdentity => readJson(folder, (identity.get() as [Buffer])[0], "its identity"),
    /** Updates the counts and increases the number of commits, by which readers detect a change. Every writing transaction ends with it. */
    advance({ cells, notebooks, occurrences, labels }: CountChanges): void {
      advance.run(cells, notebooks, occurrences);
      for (const [bits, change] of labels) if (change !== 0) countLabels.run(bits, change);
    },
    counts(labels: readonly string[]): Counts {
      const [cells, notebooks, occurrences] = totals.get() as [number, number, number];
      const groups = byLabels.all() as [number, number][];
      const held = (bit: number) => groups.reduce((sum, [bits, count]) => (bits & (1 << bit) ? sum + count : sum), 0);
      return {
        cells,
        notebooks,
        occurrences,
        labels: Object.fromEntries(labels.map((label, bit) => [label, held(bit)])),
      };
    },
  };
}

export type State = ReturnType<typeof createState>;

/** Call inside a transaction. The index keeps its id and gets a new generation. */
export function startGeneration(database: Database, identity: IndexIdentity): void {
  const known = Buffer.from(JSON.stringify(identity));
  const generation = randomBytes(6);
  const { changes } = database
    .prepare<[Buffer, Buffer]>("update state set generation = ?, identity = ?, commits = commits + 1")
    .run(generation, known);
  if (changes > 0) return;
  database
    .prepare<[number, Buffer, Buffer, Buffer]>(
      `insert into state (one, layout, index_id, generation, identity, commits, pruned, cells, notebooks, occurrences)
        values (1, ?, ?, ?, ?, 0, 0, 0, 0, 0)`,
    )
    .run(LAYOUT, randomBytes(16), generation, known);
}

/** Recomputes all counters; call inside a transaction. */
export function recount(database: Database): void {
  database.exec(`
    delete from held;
    insert into held (cell, occurrences) select cell, count(*) from occurrences group by cell;
    delete from label_counts;
    insert into label_counts (labels, cells) select labels, count(*) from cells group by labels;
    update notebooks set cells = (select count(*) from positions p where p.notebook = notebooks.row);
    update state set
      cells = (select count(*) from cells),
      notebooks = (select count(*) from notebooks),
      occurrences = (select count(*) from positions);
  `);
}

/** Creates the tables of a new index. Call with the writer's lock held. */
export function createTables(database: Database, folder: string, identity: IndexIdentity): void {
  inTransaction(database, () => {
    // Another process may have created them since.
    if (hasTable(database, "state")) return checkLayout(database, folder);
    database.exec(SCHEMA);
    startGeneration(database, identity);
  });
}

/** Throws INDEX_MISMATCH if an older or a newer celrec made the index. */
export function checkLayout(database: Database, folder: string): void {
  const layout = readLayout(database);
  if (layout === LAYOUT) return;
  const advice =
    layout > LAYOUT
      ? "Use the newer celrec version that created it."
      : `Delete the folder and index the notebooks again: celrec index PATHS`;
  throw new RecommenderError(
    "INDEX_MISMATCH",
    `The index in ${folder} has layout ${layout}, and this celrec reads layout ${LAYOUT}. ${advice}`,
  );
}

/** Layout 1 kept its settings in a table `meta`. */
export const LAYOUT_1_TABLE = "meta";

function readLayout(database: Database): number {
  if (hasTable(database, LAYOUT_1_TABLE)) return 1;
  const row = database.prepare("select cast(layout as integer) from state").raw().get() as [number] | undefined;
  // An empty table is reported as damage when the state is read.
  return row?.[0] ?? LAYOUT;
}

/** The layout of the tables below. An index of any other layout is refused. */
const LAYOUT = 2;

/**
 * Texts are stored and read as blobs: the driver cuts a text at its first NUL, and crashes on damaged text. Row numbers
 * are never reused, so new cells have higher rows. `state`, `label_counts` and `held` are counters, which change in the
 * same transaction as the counted rows.
 */
const SCHEMA = `
  create table state (
    one integer primary key check (one = 1),
    layout integer not null,
    index_id blob not null,
    generation blob not null,
    identity blob not null,
    commits integer not null,
    pruned integer not null,
    cells integer not null,
    notebooks integer not null,
    occurrences integer not null
  );
  create table label_counts (labels integer primary key, cells integer not null);
  create table cells (
    row integer primary key autoincrement,
    id blob not null unique,
    code blob not null,
    clean blob not null,
    labels integer not null,
    primary_label integer not null,
    checksum integer not null
  );
  create table vectors (row integer primary key, vector blob not null, profile blob);
  create table held (cell integer primary key, occurrences integer not null);
  create table notebooks (
    row integer primary key autoincrement,
    id blob not null unique,
    source blob not null,
    name blob not null,
    version blob not null,
    skipped integer not null,
    cells integer not null,
    facts blob not null
  );
  create table positions (
    notebook integer not null,
    cell_index integer not null,
    cell integer not null,
    primary key (notebook, cell_index)
  ) without rowid;
  create table occurrences (
    cell integer not null,
    source blob not null,
    name blob not null,
    cell_index integer not null,
    notebook integer not null,
    primary key (cell, source, name, cell_index, notebook)
  ) without rowid;
  create table removed (seq integer primary key autoincrement, row integer not null);
`;
