import { randomBytes } from "node:crypto";
import type { Counts, IndexIdentity } from "../vector-store.js";
import type { Database } from "./database.js";
import { readJson } from "./guard.js";
import { LAYOUT } from "./schema.js";

/** Changes with every commit. */
export interface IndexState {
  /** Random, of this index alone: what is derived from another one is of no use. */
  readonly index: string;
  /** Changes where everything is new: after a rewrite, after clear. */
  readonly generation: string;
  readonly commits: number;
  /** Removals up to this one are not listed any more. */
  readonly pruned: number;
}

/** What a transaction adds to the counters. */
export interface CountChanges {
  cells: number;
  notebooks: number;
  occurrences: number;
  /** By combination of label bits. */
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
    /** Null where the index was never finished being made. */
    read(): IndexState | null {
      const row = read.get() as [string, string, number, number] | undefined;
      if (row === undefined) return null;
      const [index, generation, commits, pruned] = row;
      return { index, generation, commits, pruned };
    },
    identity: (): IndexIdentity => readJson(folder, (identity.get() as [Buffer])[0], "what it was made with"),
    /** Ends every transaction that changes something: readers notice by the number of commits. */
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

/** Call inside a transaction. An index keeps its own id for good; whoever starts anew gets a new generation. */
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

/** Counts everything anew; call inside a transaction. */
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
