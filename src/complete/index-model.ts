import { rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { z } from "zod";
import { makeFolders } from "../notebook/file-system.js";
import type { VectorStore } from "../store/vector-store.js";
import { readArrays, writeArrays } from "./arrays-file.js";
import { type ContextArrays, createContextIndex } from "./context-index.js";
import { countCopy, createLearner, createRoleTargets } from "./learn.js";
import { findRanges, type IndexSegment } from "./predict.js";
import type { ShippedModel } from "./shipped-model.js";
import { WRAP } from "./tokens.js";
import { createVocabulary, type Vocabulary } from "./vocabulary.js";

/** File of the model in the data folder. It is derived from the store and can be deleted. */
export const MODEL_FILE = "completions.bin";

/** The statistics learnt from the notebooks of an index. */
export interface IndexModel {
  vocabulary(): Vocabulary;
  segments(): readonly IndexSegment[];
  /** False for a token that occurs only in deleted notebooks. */
  isKnown(id: number): boolean;
  /**
   * Ids of at most three cells that contain the end of this context: the longest known part of it, which must have at
   * least `length` tokens.
   */
  cellsWith(context: readonly number[], length: number): string[];
  /** Reads the saved model. If the file is missing, damaged or of another version, `update` learns it again. */
  load(): Promise<void>;
  /** Forgets notebooks that were deleted from the store or replaced by another version. */
  forgetMissing(store: NotebookSource): Promise<void>;
  /** Learns new notebooks, forgets deleted ones, and saves the result. True if anything changed. */
  update(store: NotebookSource, signal?: AbortSignal): Promise<boolean>;
  /** The number of learnt notebooks and tokens, and the size in memory. */
  stats(): { readonly notebooks: number; readonly tokens: number; readonly bytes: number };
}

/** The part of a store that the model reads. */
export type NotebookSource = Pick<VectorStore, "notebooks" | "versions" | "notebook" | "cells">;

interface Segment extends IndexSegment {
  readonly arrays: { readonly names: ContextArrays; readonly roles: ContextArrays };
  /** Start position of each cell, in ascending order; its id and notebook have the same index. */
  readonly starts: Int32Array;
  readonly cells: readonly string[];
  readonly notebooks: readonly string[];
  readonly owners: Int32Array;
}

/** Maximum number of tokens to learn, those of about 77,000 cells. They take about 120 MB. */
const MAX_TOKENS = 5_000_000;
/** Maximum number of characters of a cell; longer cells are data. */
const MAX_CELL = 100_000;
/** Memory of a token: two numbers in each of two streams. */
const TOKEN_BYTES = 16;
const PAGE = 500;
/** Notebooks that are read at once, because a remote store takes as long for many as for one. */
const NOTEBOOKS_AT_ONCE = 100;
const MAX_CELLS_SHOWN = 3;
/** Above this number of segments, or this share of forgotten cells, everything is learnt again. */
const MAX_SEGMENTS = 4;
const MAX_FORGOTTEN = 0.2;

/** Layout version of the file. Increase it when the arrays of the file change. */
const LAYOUT = 2;
const factsSchema = z.object({
  layout: z.literal(LAYOUT),
  revision: z.string(),
  texts: z.array(z.string()),
  versions: z.array(z.tuple([z.string(), z.string()])),
  cells: z.array(z.string()),
  notebooks: z.array(z.string()),
});

interface IndexModelOptions {
  readonly shipped: Pick<ShippedModel, "revision" | "vocabulary" | "nameRoles">;
  /** Folder in which the model is saved. Without it, the model is learnt at each start. */
  readonly folder?: string;
  readonly maxTokens?: number;
}

/** A model that is empty until `update` reads a store. */
export function createIndexModel({ shipped, folder, maxTokens = MAX_TOKENS }: IndexModelOptions): IndexModel {
  const file = folder === undefined ? null : join(folder, MODEL_FILE);
  let vocabulary = createVocabulary([...shipped.vocabulary, WRAP]);
  let segments: Segment[] = [];
  let versions = new Map<string, string>();
  let forgotten = new Set<string>();
  /** Occurrences of each token in cells that still exist. */
  let alive = new Int32Array(0);

  const reset = () => {
    vocabulary = createVocabulary([...shipped.vocabulary, WRAP]);
    [segments, versions, forgotten, alive] = [[], new Map(), new Set(), new Int32Array(0)];
  };
  const addSegment = (segment: Segment) => {
    segments.push(segment);
    const counts = new Int32Array(vocabulary.size);
    counts.set(alive.subarray(0, Math.min(alive.length, counts.length)));
    for (const id of segment.arrays.names.context) counts[id]! += 1;
    alive = counts;
  };
  const forget = (notebook: string) => {
    forgotten.add(notebook);
    versions.delete(notebook);
    for (const { notebooks, owners, starts, arrays } of segments) {
      const owner = notebooks.indexOf(notebook);
      if (owner === -1) continue;
      for (let cell = 0; cell < owners.length; cell += 1) {
        if (owners[cell] !== owner) continue;
        const end = starts[cell + 1] ?? arrays.names.context.length;
        for (let at = starts[cell]!; at < end; at += 1) alive[arrays.names.context[at]!]! -= 1;
      }
    }
  };
  const forgetAll = (current: ReadonlyMap<string, string>) => {
    for (const [id, version] of [...versions]) if (current.get(id) !== version) forget(id);
  };
  const tokensIn = () => segments.reduce((sum, { arrays }) => sum + arrays.names.context.length, 0);

  /** Reads notebooks into a segment of their own. */
  const learn = async (store: NotebookSource, ids: readonly (readonly [string, string])[], signal?: AbortSignal) => {
    const learner = createLearner(vocabulary, shipped.nameRoles);
    const seen = new Map<string, number>();
    for (const { cells } of segments) for (const cell of cells) countCopy(seen, cell);
    const cells: string[] = [];
    const starts: number[] = [];
    const owners: number[] = [];
    const notebooks: string[] = [];
    const isFull = () => tokensIn() + learner.tokens > maxTokens;
    for (let from = 0; from < ids.length; from += NOTEBOOKS_AT_ONCE) {
      signal?.throwIfAborted();
      const some = ids.slice(from, from + NOTEBOOKS_AT_ONCE);
      for (const [id, version] of some) {
        versions.set(id, version);
        forgotten.delete(id);
      }
      if (isFull()) continue;
      const idsToRead = some.map(([id]) => id);
      const { found, codes } = await readNotebooks(store, idsToRead);
      for (const notebook of found) {
        if (isFull()) break;
        const present = notebook.cells.filter((cell) => (codes.get(cell.id)?.length ?? Infinity) <= MAX_CELL);
        const copies = present.map((cell) => countCopy(seen, cell.id));
        const places = learner.read(
          present.map((cell) => codes.get(cell.id)!),
          (index) => copies[index]!,
        );
        for (const [index, start] of places) {
          cells.push(present[index]!.id);
          starts.push(start);
          owners.push(notebooks.length);
        }
        notebooks.push(notebook.id);
        await nextTurn();
        signal?.throwIfAborted();
      }
    }
    if (learner.tokens > 0) addSegment(createSegment(learner.finish(), starts, cells, notebooks, owners));
  };

  const createSegment = (
    arrays: Segment["arrays"],
    starts: readonly number[] | Int32Array,
    cells: readonly string[],
    notebooks: readonly string[],
    owners: readonly number[] | Int32Array,
  ): Segment => {
    const wrap = vocabulary.idOf(WRAP);
    return {
      names: createContextIndex(arrays.names, wrap),
      roles: createContextIndex(arrays.roles, wrap),
      arrays,
      starts: Int32Array.from(starts),
      cells,
      notebooks,
      owners: Int32Array.from(owners),
    };
  };

  const save = async () => {
    const [segment] = segments;
    if (file === null || segments.length !== 1 || segment === undefined || forgotten.size > 0) return;
    const { names, roles } = segment.arrays;
    const facts: z.input<typeof factsSchema> = {
      layout: LAYOUT,
      revision: shipped.revision,
      texts: vocabulary.texts().slice(shipped.vocabulary.length),
      versions: [...versions],
      cells: [...segment.cells],
      notebooks: [...segment.notebooks],
    };
    const arrays = {
      names: names.context,
      namesSorted: names.sorted,
      roles: roles.context,
      rolesSorted: roles.sorted,
      starts: segment.starts,
      owners: segment.owners,
    };
    try {
      makeFolders(dirname(file));
      await writeArrays(`${file}.new`, facts, arrays);
      await rename(`${file}.new`, file);
    } catch {
      // A full disk or a read-only folder is no error: the next start only takes some seconds longer.
      await rm(`${file}.new`, { force: true });
    }
  };

  const load = async () => {
    if (file === null) return;
    try {
      const { facts, arrays } = await readArrays(file);
      const { revision, texts, versions: stored, cells, notebooks } = factsSchema.parse(facts);
      if (revision !== shipped.revision) return;
      const array = (name: string) => arrays.get(name) as Int32Array;
      vocabulary = createVocabulary([...shipped.vocabulary, ...texts]);
      versions = new Map(stored);
      const [written, counted] = [array("names"), array("roles")];
      const names = { context: written, targetAt: (at: number) => written[at]!, sorted: array("namesSorted") };
      const targetAt = createRoleTargets(written, counted, vocabulary);
      const roles = { context: counted, targetAt, sorted: array("rolesSorted") };
      addSegment(createSegment({ names, roles }, array("starts"), cells, notebooks, array("owners")));
    } catch {
      reset();
    }
  };

  return {
    vocabulary: () => vocabulary,
    segments: () => segments,
    isKnown: (id) => id > 0 && (id <= shipped.vocabulary.length + 1 || (alive[id] ?? 0) > 0),
    cellsWith(context, length) {
      const found = new Set<string>();
      for (const { names, starts, cells, notebooks, owners } of segments) {
        const ranges = findRanges(names, context);
        const range = ranges.length > length ? ranges.at(-1) : undefined;
        for (
          let at = range?.low ?? 0;
          range !== undefined && at < range.high && found.size < MAX_CELLS_SHOWN;
          at += 1
        ) {
          const cell = cellAt(starts, names.positionAt(at) - 1);
          if (cell !== -1 && !forgotten.has(notebooks[owners[cell]!]!)) found.add(cells[cell]!);
        }
      }
      return [...found];
    },
    load,
    async forgetMissing(store) {
      forgetAll(await listVersions(store));
    },
    async update(store, signal) {
      const current = await listVersions(store);
      const before = versions.size;
      forgetAll(current);
      const added = [...current].filter(([id, version]) => versions.get(id) !== version);
      if (versions.size === before && forgotten.size === 0 && added.length === 0) return false;
      const share = forgotten.size / Math.max(1, versions.size + forgotten.size);
      if (segments.length >= MAX_SEGMENTS || share > MAX_FORGOTTEN || added.length > versions.size) {
        reset();
        await learn(store, [...current], signal);
      } else await learn(store, added, signal);
      if (current.size === 0 && file !== null) await rm(file, { force: true });
      await save();
      return true;
    },
    stats: () => ({ notebooks: versions.size, tokens: tokensIn(), bytes: tokensIn() * TOKEN_BYTES }),
  };
}

/** The notebooks that still exist, with the code of their cells. */
async function readNotebooks(store: NotebookSource, ids: readonly string[]) {
  const found = (await Promise.all(ids.map((id) => store.notebook(id)))).filter((notebook) => notebook !== null);
  const stored = await store.cells([...new Set(found.flatMap(({ cells }) => cells.map(({ id }) => id)))]);
  return { found, codes: new Map(stored.map(({ id, code }) => [id, code])) };
}

/** The version of every notebook. */
async function listVersions(store: NotebookSource): Promise<Map<string, string>> {
  const all = new Map<string, string>();
  for (let after: string | undefined; ; ) {
    const page = await store.notebooks({ ...(after !== undefined && { after }), limit: PAGE });
    if (page.length === 0) return all;
    const ids = page.map(({ id }) => id);
    for (const [id, version] of await store.versions(ids)) all.set(id, version);
    after = ids.at(-1)!;
  }
}

function cellAt(starts: Int32Array, position: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (starts[middle]! <= position) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
