import { execFile } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import Libsql from "libsql";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { RecommenderError } from "../../src/errors.js";
import { inTransaction } from "../../src/store/embedded/database.js";
import { withDiskErrors } from "../../src/store/embedded/disk-errors.js";
import { createEmbeddedStore, type EmbeddedOptions } from "../../src/store/embedded.js";
import { cell, createRandom, IDENTITY, ids, notebook, put, randomCells } from "./contract/fixtures.js";

const CHILD = fileURLToPath(new URL("./embedded-faults-child.js", import.meta.url));
/** One thread always makes the same graph of the same rows. */
const SMALL = { exactBelow: 100, limits: { minSavedRows: 50, scannedPerCandidate: 0.1, graphThreads: 1 } };
const random = createRandom(21);
const cells = randomCells(300, random, ["load"]);

const makeFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "celrec-faults-"));
  onTestFinished(() => {
    chmodSync(folder, 0o755);
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
};
const create = (folder: string, options: Partial<EmbeddedOptions> = SMALL) =>
  createEmbeddedStore({
    folder,
    identity: IDENTITY,
    writer: { pid: process.pid, activity: "test" },
    hold: "call",
    ...options,
  });
const open = (folder: string, options: Partial<EmbeddedOptions> = SMALL) => {
  const store = create(folder, options);
  onTestFinished(() => store.close());
  return store;
};
/** A closed index with all of its files. */
async function fill(folder: string): Promise<void> {
  const store = create(folder);
  for (let at = 0; at < 300; at += 60) await put(store, [notebook(`n${at}.ipynb`, cells.slice(at, at + 70))]);
  await store.settle();
  await store.close();
  checkpoint(folder);
}
/** The index is a single file, as after a backup. */
function checkpoint(folder: string): void {
  const database = new Libsql(join(folder, "cells.db"));
  database.exec("pragma wal_checkpoint(truncate)");
  database.close();
}
type Told = Record<string, unknown> & { error?: { name: string; code: string; message: string } };
/** The content of each of these folders, read by another process. */
async function runAll(folders: readonly string[], action = "read", uid?: number): Promise<Told[]> {
  const options = JSON.stringify({ identity: IDENTITY, ...SMALL });
  const { stdout } = await promisify(execFile)(process.execPath, [CHILD, options, action, ...folders], {
    maxBuffer: 2 ** 28,
    ...(uid !== undefined && { uid }),
  });
  return JSON.parse(stdout) as Told[];
}
const run = async (folder: string, action?: string, uid?: number) => (await runAll([folder], action, uid))[0]!;
const fileOf = (folder: string, name: string) => readdirSync(folder).find((file) => file.startsWith(`${name}-`))!;

const source = mkdtempSync(join(tmpdir(), "celrec-faults-"));
let before: Told;
beforeAll(async () => {
  await fill(source);
  before = await run(source);
  expect(before.error).toBeUndefined();
});
afterAll(() => rmSync(source, { recursive: true, force: true }));
/** A folder of its own with a copy of the index. */
function copy(): string {
  const folder = makeFolder();
  cpSync(source, folder, { recursive: true });
  return folder;
}

describe("damaged files of an index", () => {
  const damages = [
    ["words", "is empty", (file: string) => truncateSync(file, 0)],
    ["words", "is cut", (file: string) => truncateSync(file, statSync(file).size >> 1)],
    ["words", "has another byte", (file: string) => flip(file, statSync(file).size >> 1)],
    ["cells", "is empty", (file: string) => truncateSync(file, 0)],
    ["cells", "is cut", (file: string) => truncateSync(file, statSync(file).size - 40)],
    ["cells", "has another byte", (file: string) => flip(file, 1_000)],
    ["graph", "is empty", (file: string) => truncateSync(file, 0)],
    ["graph", "is cut", (file: string) => truncateSync(file, statSync(file).size >> 1)],
    ["graph", "has another byte", (file: string) => flip(file, statSync(file).size >> 1)],
    ["graph", "has another end", (file: string) => flip(file, statSync(file).size - 50)],
  ] as const;
  const parent = mkdtempSync(join(tmpdir(), "celrec-faults-"));
  const folders = damages.map((_, at) => join(parent, `${at}`));
  let damaged: Told[];
  let rebuilt: Told[];
  // One process reads all of them, because starting processes takes most of the time.
  beforeAll(async () => {
    for (const [at, [name, , damage]] of damages.entries()) {
      const folder = folders[at]!;
      cpSync(source, folder, { recursive: true });
      damage(join(folder, fileOf(folder, name)));
    }
    damaged = await runAll(folders);
    for (const folder of folders) {
      const store = create(folder);
      await store.settle();
      await store.close();
    }
    rebuilt = await runAll(folders);
  });
  afterAll(() => rmSync(parent, { recursive: true, force: true }));

  it.each(damages.map(([name, how], at) => [name, how, at] as const))(
    "the file of the %s is rebuilt if it %s",
    (_name, _how, at) => {
      expect(damaged[at]).toEqual(before);
      expect(rebuilt[at]).toEqual(before);
    },
  );

  it.each([
    ["empty", (file: string) => truncateSync(file, 0)],
    ["cut in half", (file: string) => truncateSync(file, statSync(file).size >> 1)],
    ["full of zeros", (file: string) => writeFileSync(file, Buffer.alloc(statSync(file).size))],
    ["no database", (file: string) => writeFileSync(file, "no database ".repeat(1_000))],
  ])("the index is reported as damaged if cells.db is %s", async (_how, damage) => {
    const folder = copy();
    damage(join(folder, "cells.db"));
    expect((await run(folder)).error).toMatchObject({
      name: "RecommenderError",
      code: "STORE_UNAVAILABLE",
      message: expect.stringContaining(`The index in ${folder} is damaged`),
    });
  });

  it("a flipped bit in cells.db is reported, or changes no answer", async () => {
    const { size } = statSync(join(source, "cells.db"));
    const told: string[] = [];
    const places = Array.from({ length: 30 }, () => Math.floor(random() * size));
    const folders = places.map((at, round) => {
      const folder = copy();
      flip(join(folder, "cells.db"), at, 1 << (round % 8));
      return folder;
    });
    for (const [round, after] of (await runAll(folders)).entries()) {
      const at = places[round];
      if (after.error !== undefined) {
        expect([at, after.error.name, after.error.code]).toEqual([at, "RecommenderError", "STORE_UNAVAILABLE"]);
        told.push(after.error.message);
      } else {
        for (const what of ["cells", "vectors"] as const) {
          const known = new Set((before[what] as unknown[]).map((each) => JSON.stringify(each)));
          const changed = (after[what] as unknown[]).filter((each) => !known.has(JSON.stringify(each)));
          expect([at, changed]).toEqual([at, []]);
        }
      }
    }
    expect(told.length).toBeGreaterThan(0);
  });

  it("an older cells.db next to newer files answers from its own content", async () => {
    const folder = makeFolder();
    const store = open(folder);
    await put(store, [notebook("a", cells.slice(0, 200))]);
    await store.close();
    checkpoint(folder);
    copyFileSync(join(folder, "cells.db"), join(folder, "copy"));
    const newer = open(folder);
    await newer.remove(notebook("a", []).notebook.id);
    await put(newer, [notebook("b", cells.slice(150))]);
    await newer.settle();
    await newer.close();
    checkpoint(folder);
    copyFileSync(join(folder, "copy"), join(folder, "cells.db"));

    const older = open(folder);
    expect((await older.counts()).cells).toBe(200);
    expect(readdirSync(folder).filter((file) => file.endsWith(".snapshot"))).toEqual([]);
    const { vector } = cells[3]!;
    expect(ids(await older.search({ vector, k: 200 })).sort()).toEqual(ids(cells.slice(0, 200)).sort());
    // Even with more commits than the files, the index does not use them.
    for (let at = 0; at < 5; at += 1) await put(older, [notebook(`c${at}`, [cell(`later ${at}`)])]);
    await older.close();
    const again = open(folder);
    expect((await again.search({ vector, k: 300 })).length).toBe(205);
    expect((await again.lexical({ words: new Map([["random", 1]]), k: 300 }))!.length).toBe(200);
  });

  it("a missing or foreign index marker is rewritten", async () => {
    const folder = copy();
    const mark = join(folder, "index-id");
    const own = readFileSync(mark, "utf8");
    for (const spoil of [() => rmSync(mark), () => writeFileSync(mark, "another")]) {
      spoil();
      const store = open(folder);
      expect((await store.counts()).notebooks).toBe(5);
      await store.close();
      expect(readFileSync(mark, "utf8")).toBe(own);
    }
  });

  it("a lock file with content is emptied and used", async () => {
    const folder = copy();
    for (const name of ["writer.lock", "settle.lock"]) writeFileSync(join(folder, name), "garbage ".repeat(1_000));
    const store = open(folder);
    await put(store, [notebook("more", [cell("more = 1")])]);
    await store.settle();
    expect((await store.counts()).notebooks).toBe(6);
  });
});

describe("a folder that is not as it should be", () => {
  it("is not created by reading unless requested", async () => {
    const folder = join(makeFolder(), "typo");
    const store = open(folder, { create: false });
    await expect(store.counts()).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: `There is no index in ${folder}. Is the folder right? celrec index creates one.`,
    });
    expect(existsSync(folder)).toBe(false);
    await open(folder).open();
    expect((await store.counts()).cells).toBe(0);
  });

  it("is refused with a clear message on a read-only disk", async () => {
    const folder = "/sys/celrec";
    await expect(open(folder).open()).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: expect.stringContaining(`The index in ${folder} cannot be opened or written`),
    });
  });

  it("can be read if it cannot be written, and reports that on a write", async () => {
    const folder = copy();
    checkpoint(folder);
    for (const file of readdirSync(folder)) {
      if (/-(wal|shm)$/.test(file)) rmSync(join(folder, file));
      else chmodSync(join(folder, file), 0o444);
    }
    chmodSync(folder, 0o555);
    // Permissions do not restrict the superuser.
    const uid = process.getuid?.() === 0 ? 65_533 : undefined;
    expect(await run(folder, "read", uid)).toEqual(before);
    expect((await run(folder, "write", uid)).error).toMatchObject({
      name: "RecommenderError",
      code: "STORE_UNAVAILABLE",
      message: expect.stringContaining("cannot be opened or written"),
    });
  });

  it.each([
    ["its files", (folder: string) => readdirSync(folder).map((file) => join(folder, file)), 0o600],
    ["the folder itself", (folder: string) => [folder], 0o700],
  ])("is refused with a message if another user owns %s, and does not count as unindexed", async (_, list, mode) => {
    const folder = copy();
    for (const path of list(folder)) chmodSync(path, mode);
    // Only root can test this as another user; otherwise the files are made unreadable.
    const uid = process.getuid?.() === 0 ? 65_533 : undefined;
    if (uid === undefined) for (const file of readdirSync(folder)) chmodSync(join(folder, file), 0);
    for (const action of ["read", "write"]) {
      expect((await run(folder, action, uid)).error).toMatchObject({
        name: "RecommenderError",
        code: "STORE_UNAVAILABLE",
        message: expect.stringContaining(
          `The index in ${folder} cannot be opened or written; check that the folder exists and that you own it`,
        ),
      });
    }
  });

  it.each(["cells.db", "index-id"])("is refused with a clear error if %s is a folder", async (name) => {
    const folder = copy();
    rmSync(join(folder, name));
    mkdirSync(join(folder, name));
    expect((await run(folder)).error).toMatchObject({ name: "RecommenderError", code: "STORE_UNAVAILABLE" });
  });

  it("is reported as damaged without its cells.db, and not replaced by a new index", async () => {
    const folder = copy();
    rmSync(join(folder, "cells.db"));
    for (const create of [false, true]) {
      await expect(open(folder, { create }).counts()).rejects.toMatchObject({
        code: "STORE_UNAVAILABLE",
        message: expect.stringContaining(`The index in ${folder} is damaged: cells.db is missing.`),
      });
    }
    expect(existsSync(join(folder, "cells.db"))).toBe(false);
  });

  it("acknowledges nothing while it is missing, after it was removed in use", async () => {
    const folder = copy();
    const store = open(folder);
    expect((await store.counts()).notebooks).toBe(5);
    renameSync(folder, `${folder}.away`);
    const gone = {
      code: "STORE_UNAVAILABLE",
      message: `The index in ${folder} was removed while it was in use: cells.db is missing. Restore it, or restart to create a new index.`,
    };
    await expect(put(store, [notebook("more", [cell("more = 1")])])).rejects.toMatchObject(gone);
    await expect(store.counts()).rejects.toMatchObject(gone);
    await expect(store.ready()).rejects.toMatchObject(gone);
    expect(existsSync(folder)).toBe(false);
    renameSync(`${folder}.away`, folder);
    await put(store, [notebook("more", [cell("more = 1")])]);
    expect((await store.counts()).notebooks).toBe(6);
  });

  it("is reopened if it was replaced by another index", async () => {
    const folder = copy();
    const store = open(folder);
    await put(store, [notebook("more", [cell("more = 1")])]);
    expect(ids(await store.search({ vector: cells[0]!.vector, k: 1 }))).toEqual([cells[0]!.id]);
    rmSync(folder, { recursive: true });
    const other = open(folder);
    await put(other, [notebook("other", [cell("other = 1", [...cells[0]!.vector])])]);
    await other.close();

    await store.ready();
    expect(ids(await store.search({ vector: cells[0]!.vector, k: 2 }))).toEqual([cell("other = 1").id]);
    await put(store, [notebook("again", [cell("again = 1")])]);
    await store.remove(notebook("other", []).notebook.id);
    const last = open(folder);
    const stays = [notebook("again", []).notebook.id];
    expect((await last.notebooks({ limit: 9 })).map(({ id }) => id)).toEqual(stays);
    // The connection to the old file does not affect the new one.
    await put(last, [notebook("last", [cell("last = 1")])]);
    await store.close();
    await last.remove(notebook("last", []).notebook.id);
    await last.close();
    expect((await open(folder).notebooks({ limit: 9 })).map(({ id }) => id)).toEqual(stays);
  });

  it("reports a full disk", () => {
    const folder = makeFolder();
    const database = new Libsql(join(folder, "full.db"));
    onTestFinished(() => void database.close());
    database.exec("pragma journal_mode = WAL; create table t (x blob); pragma max_page_count = 20");
    const grow = () =>
      inTransaction(database, () => {
        for (let at = 0; at < 1_000; at += 1) database.exec("insert into t values (randomblob(4000))");
      });
    let error: unknown;
    try {
      withDiskErrors(folder, grow);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(RecommenderError);
    expect(error).toMatchObject({ code: "DISK_FULL" });
    expect(database.inTransaction).toBe(false);
    expect(database.prepare("select count(*) from t").raw().get()).toEqual([0]);
  });
});

function flip(file: string, at: number, bit = 1): void {
  const bytes = readFileSync(file);
  bytes[at]! ^= bit;
  writeFileSync(file, bytes);
}
