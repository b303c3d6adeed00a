import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { cosine } from "../../src/embed/embedder.js";
import { createEmbeddedStore, type EmbeddedLimits } from "../../src/store/embedded.js";
import type { Hit, LabelFilter, NewCell, VectorStore } from "../../src/store/vector-store.js";
import { fastFolder } from "../fast-folder.js";
import { createRandom, put } from "./contract/fixtures.js";

const DIMENSIONS = 64;
const ROWS = 2_500;
const PER_NOTEBOOK = 250;
const EXACT_BELOW = 500;
const identity = { embedder: "test@1", dimensions: DIMENSIONS, labeller: "test@1", labels: ["load", "plot", "train"] };
const writer = { pid: process.pid, activity: "a test" };
const sha = (text: string) => createHash("sha256").update(text).digest("hex");

const opened: VectorStore[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function openStore(folder: string, exactBelow: number, limits: Partial<EmbeddedLimits> = {}): VectorStore {
  // One thread always makes the same graph of the same rows.
  const small = { scannedPerCandidate: 1, graphThreads: 1, ...limits };
  const store = createEmbeddedStore({ folder, identity, writer, hold: "call", exactBelow, limits: small });
  opened.push(store);
  return store;
}

function makeFolder(): string {
  const folder = mkdtempSync(join(fastFolder, "celrec-graph-"));
  folders.push(folder);
  return folder;
}

/** Vectors distributed like embeddings: in clusters of unequal size around centres. */
function createCells() {
  const random = createRandom(7);
  const gauss = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const centres = Array.from({ length: 60 }, () => Array.from({ length: DIMENSIONS }, gauss));
  let made = 0;
  return (count: number): NewCell[] =>
    Array.from({ length: count }, () => {
      const centre = centres[Math.floor(random() ** 2 * centres.length)]!;
      const vector = Float32Array.from(centre, (value) => value + 0.6 * gauss());
      const labels = identity.labels.filter(() => random() < 0.5);
      const code = `cell ${made++}`;
      return { id: sha(code), code, clean: code, labels, primary: labels[0] ?? null, vector };
    });
}

async function write(store: VectorStore, name: string, cells: readonly NewCell[]): Promise<void> {
  const positions = cells.map(({ id }, cellIndex) => ({ cellIndex, id }));
  const notebook = { id: sha(name), source: "s", name, version: sha(name), skipped: 0, cells: positions, facts: {} };
  await put(store, [{ notebook, cells }]);
}

async function recall(store: VectorStore, exact: VectorStore, queries: readonly Float32Array[], filter?: LabelFilter) {
  let found = 0;
  let wanted = 0;
  for (const vector of queries) {
    const query = { vector, k: 10, ...(filter && { filter }) };
    const right = new Set((await exact.search(query)).map(({ id }) => id));
    const hits = await store.search(query);
    expect(hits.length).toBe(right.size);
    found += hits.filter(({ id }) => right.has(id)).length;
    wanted += right.size;
  }
  return found / wanted;
}

const snapshots = (folder: string) => readdirSync(folder).filter((file) => file.startsWith("graph-"));
const ids = (hits: readonly Hit[]) => hits.map(({ id }) => id);

describe("the graph of the embedded store", () => {
  const make = createCells();
  let cells: NewCell[] = [];
  let later: NewCell[] = [];
  let queries: Float32Array[] = [];
  const settled = mkdtempSync(join(fastFolder, "celrec-graph-"));
  beforeAll(async () => {
    cells = make(ROWS);
    later = make(300);
    queries = make(100).map(({ vector }) => vector);
    const store = await fill(settled);
    await store.settle();
    await store.close();
  });
  afterAll(() => rmSync(settled, { recursive: true, force: true }));

  /** A folder of its own with the filled index and its graph, which takes longest to make. */
  function copySettled(): string {
    const folder = makeFolder();
    cpSync(settled, folder, { recursive: true });
    return folder;
  }

  async function fill(folder: string, rows = ROWS, limits: Partial<EmbeddedLimits> = {}): Promise<VectorStore> {
    const store = openStore(folder, EXACT_BELOW, limits);
    for (let at = 0; at < rows; at += PER_NOTEBOOK) await write(store, `n${at}`, cells.slice(at, at + PER_NOTEBOOK));
    return store;
  }

  it("finds the same as an exact scan, with and without a filter, with exact scores", async () => {
    const folder = copySettled();
    const store = openStore(folder, EXACT_BELOW);
    const exact = openStore(folder, Number.POSITIVE_INFINITY);
    expect(await recall(store, exact, queries)).toBeGreaterThanOrEqual(0.99);
    const filter: LabelFilter = { field: "labels", any: ["load", "plot"], unlabelled: true };
    expect(await recall(store, exact, queries.slice(0, 40), filter)).toBeGreaterThanOrEqual(0.99);
    const rare: LabelFilter = { field: "primary", any: ["train"], unlabelled: false };
    expect(await recall(store, exact, queries.slice(0, 20), rare)).toBeGreaterThanOrEqual(0.99);
    const scores = new Map((await exact.search({ vector: queries[0]!, k: 50 })).map(({ id, score }) => [id, score]));
    for (const { id, score } of await store.search({ vector: queries[0]!, k: 10 })) expect(score).toBe(scores.get(id));
  });

  it("finds roughly the same in less time, and has rough vectors close to the stored ones", async () => {
    const folder = copySettled();
    const store = openStore(folder, EXACT_BELOW);
    const exact = openStore(folder, Number.POSITIVE_INFINITY);
    const filter: LabelFilter = { field: "labels", any: ["load", "plot"], unlabelled: true };
    let found = 0;
    for (const vector of queries) {
      const right = await exact.search({ vector, k: 50, filter });
      const scores = new Map(right.map(({ id, score }) => [id, score]));
      const hits = await store.search({ vector, k: 50, filter, rough: true });
      expect(hits.length).toBeGreaterThanOrEqual(50);
      expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).toSorted((a, b) => b - a));
      for (const { id, score } of hits) {
        if (scores.has(id)) expect(Math.abs(score - scores.get(id)!)).toBeLessThan(0.02);
      }
      found += hits.slice(0, 50).filter(({ id }) => scores.has(id)).length;
    }
    expect(found / (50 * queries.length)).toBeGreaterThanOrEqual(0.95);
    const asked = [sha("unknown"), ...cells.slice(0, 20).map(({ id }) => id)];
    const rough = await store.roughVectors!(asked);
    expect([...rough.keys()]).toEqual(asked.slice(1));
    for (const { id, vector } of cells.slice(0, 20)) {
      expect(cosine(rough.get(id)!, vector)).toBeGreaterThan(0.999);
      expect(Math.hypot(...rough.get(id)!)).toBeCloseTo(1, 5);
    }
    // A small index has the vectors themselves.
    expect(await exact.roughVectors!(asked)).toEqual(await exact.vectors(asked));
  });

  it("grows in the background while searches are answered", async () => {
    const folder = makeFolder();
    const store = await fill(folder);
    const exact = openStore(folder, Number.POSITIVE_INFINITY);
    for (let round = 0; round < 12; round += 1) {
      const vector = queries[round]!;
      const share = await recall(store, exact, [vector]);
      expect(share).toBeGreaterThanOrEqual(0.9);
      await new Promise(setImmediate);
    }
    expect(snapshots(folder)).toEqual([]);
  });

  it("is saved by settle, loaded by the next process, and completed with later rows", async () => {
    const folder = makeFolder();
    const first = await fill(folder);
    await first.settle();
    const [saved] = snapshots(folder);
    expect(saved).toMatch(new RegExp(`^graph-[0-9a-f]{12}-${ROWS}\\.snapshot$`));
    const { mtimeMs } = statSync(join(folder, saved!));
    await first.settle();
    expect([snapshots(folder), statSync(join(folder, saved!)).mtimeMs]).toEqual([[saved], mtimeMs]);
    await write(first, "later", later);
    await first.remove(sha("n0"));
    await first.close();

    const second = openStore(folder, EXACT_BELOW);
    const exact = openStore(folder, Number.POSITIVE_INFINITY);
    expect(ids(await second.search({ vector: later[5]!.vector, k: 1 }))).toEqual([later[5]!.id]);
    expect(ids(await second.search({ vector: cells[3]!.vector, k: 5 }))).not.toContain(cells[3]!.id);
    expect(await recall(second, exact, queries)).toBeGreaterThanOrEqual(0.99);
    await second.settle();
    expect(snapshots(folder)).toEqual([saved!.replace(`-${ROWS}.`, `-${ROWS + 300}.`)]);
  });

  it.each([
    ["is empty", (file: string) => writeFileSync(file, "")],
    ["is text", (file: string) => writeFileSync(file, "not a graph ".repeat(10_000))],
    ["is cut in half", (file: string) => truncateSync(file, statSync(file).size >> 1)],
    ["lacks its last bytes", (file: string) => truncateSync(file, statSync(file).size - 64)],
    [
      "has other bytes in the middle",
      (file: string) => {
        const bytes = readFileSync(file);
        for (let at = bytes.length >> 1; at < bytes.length; at += 97) bytes[at]! ^= 0xff;
        writeFileSync(file, bytes);
      },
    ],
  ])("is rebuilt if its file %s", async (_name, damage) => {
    const folder = copySettled();
    const [name] = snapshots(folder);
    const whole = openStore(settled, EXACT_BELOW);
    const answer = (store: VectorStore) =>
      Promise.all(queries.slice(0, 20).map((vector) => store.search({ vector, k: 10 })));
    const wanted = await answer(whole);
    damage(join(folder, name!));
    const second = openStore(folder, EXACT_BELOW);
    expect(await answer(second)).toEqual(wanted);
    await second.settle();
    await second.close();
    expect(readFileSync(join(folder, name!)).equals(readFileSync(join(settled, name!)))).toBe(true);
    expect(await answer(openStore(folder, EXACT_BELOW))).toEqual(wanted);
  });

  it("finds nearly every cell by its own vector if several threads build it", async () => {
    const folder = makeFolder();
    const store = await fill(folder, ROWS, { graphThreads: 4 });
    await store.settle();
    let missed = 0;
    for (const { id, vector } of cells) if ((await store.search({ vector, k: 1 }))[0]!.id !== id) missed += 1;
    // Cells that are added at the same moment may not see each other, so a few of the 2,500 may be lost.
    expect(missed).toBeLessThanOrEqual(25);
  });

  it("is rebuilt from the first part with mostly removed rows; earlier parts stay", async () => {
    const folder = makeFolder();
    const store = openStore(folder, EXACT_BELOW, { partRows: 750 });
    const notebooks = Array.from({ length: 9 }, (_, at) => cells.slice(at * PER_NOTEBOOK, (at + 1) * PER_NOTEBOOK));
    for (const [at, own] of notebooks.entries()) await write(store, `n${at}`, own);
    await store.settle();
    const lastRow = (file: string) => Number(/-(\d+)\./.exec(file)![1]);
    const parts = () => snapshots(folder).toSorted((one, other) => lastRow(one) - lastRow(other));
    const before = parts();
    expect(before.map(lastRow)).toEqual([750, 1_500, 2_250]);
    const times = before.map((file) => statSync(join(folder, file)).mtimeMs);
    for (const at of [3, 4]) await store.remove(sha(`n${at}`));
    await store.settle();
    const after = parts();
    expect(after[0]).toBe(before[0]);
    expect(statSync(join(folder, after[0]!)).mtimeMs).toBe(times[0]);
    // 500 of the second part's 750 rows were removed, so it and the later parts are rebuilt from the rest.
    expect(after.map(lastRow)).toEqual([750, 2_000, 2_250]);
    const exact = openStore(folder, Number.POSITIVE_INFINITY);
    expect(await recall(store, exact, queries.slice(0, 20))).toBeGreaterThanOrEqual(0.99);
    await store.close();
    const again = openStore(folder, EXACT_BELOW, { partRows: 750 });
    expect(await recall(again, exact, queries.slice(0, 20))).toBeGreaterThanOrEqual(0.99);
  });

  it("takes a query that is a view into a larger buffer", async () => {
    const folder = makeFolder();
    const store = await fill(folder);
    const exact = openStore(folder, Number.POSITIVE_INFINITY);
    const batch = new Float32Array(3 * DIMENSIONS);
    batch.set(cells[7]!.vector, 2 * DIMENSIONS);
    const vector = batch.subarray(2 * DIMENSIONS);
    for (const each of [store, exact]) expect(ids(await each.search({ vector, k: 1 }))).toEqual([cells[7]!.id]);
    await store.settle();
    expect(ids(await store.search({ vector, k: 1 }))).toEqual([cells[7]!.id]);
  });

  it("survives removing and adding cells again, also of all that it covered", async () => {
    const folder = copySettled();
    const store = openStore(folder, EXACT_BELOW);
    for (let at = 0; at < 1_500; at += PER_NOTEBOOK) await store.remove(sha(`n${at}`));
    await write(store, "again", cells.slice(0, 750));
    const exact = openStore(folder, Number.POSITIVE_INFINITY);
    expect((await store.counts()).cells).toBe(1_750);
    expect(await recall(store, exact, queries)).toBeGreaterThanOrEqual(0.99);
    await store.settle();
    expect(ids(await store.search({ vector: cells[7]!.vector, k: 1 }))).toEqual([cells[7]!.id]);
    await store.close();
    const again = openStore(folder, EXACT_BELOW);
    expect(await recall(again, exact, queries.slice(0, 30))).toBeGreaterThanOrEqual(0.99);
  });

  it("starts with rows that were already removed", async () => {
    const folder = makeFolder();
    const store = await fill(folder);
    await store.search({ vector: queries[0]!, k: 1 });
    for (const at of [0, PER_NOTEBOOK]) await store.remove(sha(`n${at}`));
    const exact = openStore(folder, Number.POSITIVE_INFINITY);
    for (const vector of queries.slice(0, 5)) {
      expect(await recall(store, exact, [vector])).toBeGreaterThanOrEqual(0.9);
      await new Promise(setImmediate);
    }
  });

  it("belongs to its index only: a cleared index does not load the old one", async () => {
    const folder = copySettled();
    const store = openStore(folder, EXACT_BELOW);
    await store.clear();
    expect(await store.search({ vector: queries[0]!, k: 3 })).toEqual([]);
    await write(store, "later", later);
    expect(ids(await store.search({ vector: later[0]!.vector, k: 1 }))).toEqual([later[0]!.id]);
  });
});
