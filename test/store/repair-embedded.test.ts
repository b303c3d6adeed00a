import { existsSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Libsql from "libsql";
import { describe, expect, it, onTestFinished } from "vitest";
import { notebookId } from "../../src/notebook/extract.js";
import { createEmbeddedStore } from "../../src/store/embedded.js";
import { examineIndex, repairIndex } from "../../src/store/repair-embedded.js";
import { cell, IDENTITY, ids, type NotebookWrite, notebook, put, stored } from "./contract/fixtures.js";

const writer = { pid: process.pid, activity: "test" };
const [A, B, C] = [cell("a = 1", [1, 0, 0, 0], ["load"]), cell("b = 2", [0, 1, 0, 0]), cell("c = 3", [0, 0, 1, 0])];

const named = (name: string, cells: Parameters<typeof notebook>[1]): NotebookWrite => {
  const write = notebook(name, cells);
  return { ...write, notebook: { ...write.notebook, id: notebookId(name, "corpus") } };
};
const idOf = (name: string) => notebookId(name, "corpus");

async function damage(how: (database: InstanceType<typeof Libsql>) => void) {
  const parent = await mkdtemp(join(tmpdir(), "celrec-test-"));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const folder = join(parent, "index");
  const store = createEmbeddedStore({ folder, identity: IDENTITY, writer, hold: "session" });
  await put(store, [named("x.ipynb", [A, B]), named("y.ipynb", [B, C]), named("z.ipynb", [A])]);
  await store.close();
  const database = new Libsql(join(folder, "cells.db"));
  how(database);
  database.close();
  return folder;
}

const open = (folder: string) => {
  const store = createEmbeddedStore({ folder, identity: IDENTITY, writer, hold: "call", create: false });
  onTestFinished(() => store.close());
  return store;
};

describe("an index that is read as a whole", () => {
  const examine = (folder: string) => examineIndex(folder, IDENTITY);

  it("is exported as stored, also during a write, and is not changed", async () => {
    const folder = await damage(() => {});
    const store = createEmbeddedStore({ folder, identity: IDENTITY, writer, hold: "session" });
    onTestFinished(() => store.close());
    await put(store, [named("x.ipynb", [C])]);
    const seen: number[] = [];
    const found = examineIndex(folder, IDENTITY, (done) => seen.push(done));
    expect(found).toEqual({ notebooks: 3, incomplete: [], lost: 0 });
    expect(seen).toEqual([1, 2, 3]);
    await put(store, [named("w.ipynb", [A])]);
    expect(examine(folder).notebooks).toBe(4);
  });

  it.each([
    ["code", "update cells set code = cast('c = 4' as blob) where code = cast('c = 3' as blob)"],
    ["label", "update cells set labels = labels + 1 where code = cast('c = 3' as blob)"],
    ["vector", "update vectors set vector = zeroblob(20) where row = (select max(row) from vectors)"],
  ])("names the notebook with a cell whose %s differs", async (_, sql) => {
    const folder = await damage((database) => database.exec(sql));
    expect(examine(folder)).toEqual({ notebooks: 3, incomplete: [{ source: "corpus", name: "y.ipynb" }], lost: 0 });
  });

  it("counts damaged notebooks, and reports if nothing can be read", async () => {
    const folder = await damage((database) => {
      database.exec("update notebooks set name = cast('other' as blob) where name = cast('z.ipynb' as blob)");
    });
    expect(examine(folder)).toEqual({ notebooks: 3, incomplete: [], lost: 1 });
    writeFileSync(join(folder, "cells.db"), "no database");
    expect(() => examine(folder)).toThrow("Nothing can be read any more");
  });
});

describe("a damaged index that is repaired", () => {
  it("keeps intact rows, and lists the notebooks that lack a cell", async () => {
    const folder = await damage((database) => {
      database.exec("update cells set code = cast('c = 4' as blob) where code = cast('c = 3' as blob)");
    });
    const report = await repairIndex(folder, IDENTITY, writer);
    const incomplete = [{ source: "corpus", name: "y.ipynb" }];
    expect(report).toEqual({ notebooks: 3, cells: 2, incomplete, lost: 0, kept: `${folder}.damaged` });
    const store = open(folder);
    expect(await store.cells([A.id, B.id, C.id])).toEqual([stored(A), stored(B)]);
    expect(ids(await store.search({ vector: A.vector, k: 1 }))).toEqual([A.id]);
    const versions = await store.versions([idOf("x.ipynb"), idOf("y.ipynb")]);
    expect(versions.get(idOf("x.ipynb"))).toBe(named("x.ipynb", [A, B]).notebook.version);
    expect(versions.get(idOf("y.ipynb"))).not.toBe(named("y.ipynb", [B, C]).notebook.version);
    expect((await store.notebook(idOf("y.ipynb")))!.cells).toEqual([{ cellIndex: 0, id: B.id }]);
    await put(store, [named("y.ipynb", [B, C])]);
    expect(await store.counts()).toMatchObject({ cells: 3, notebooks: 3, occurrences: 5 });
    expect(existsSync(join(report.kept, "cells.db"))).toBe(true);
  });

  it("drops a cell with a damaged vector, and a damaged notebook", async () => {
    const folder = await damage((database) => {
      database.exec("update vectors set vector = zeroblob(20) where row = 1");
      database.exec("update notebooks set name = cast('other' as blob) where name = cast('z.ipynb' as blob)");
    });
    const { notebooks, cells, incomplete, lost } = await repairIndex(folder, IDENTITY, writer);
    expect({ notebooks, cells, lost }).toEqual({ notebooks: 2, cells: 2, lost: 1 });
    expect(incomplete).toEqual([{ source: "corpus", name: "x.ipynb" }]);
  });

  it("is left unchanged if nothing can be read from it", async () => {
    const folder = await damage(() => {});
    writeFileSync(join(folder, "cells.db"), "no database");
    const before = readdirSync(folder);
    await expect(repairIndex(folder, IDENTITY, writer)).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: `The index in ${folder} is damaged: file is not a database. Nothing can be read any more; restore a copy, or delete the folder and index the notebooks again.`,
    });
    expect(readdirSync(folder).filter((file) => before.includes(file))).toEqual(before);
    expect(existsSync(`${folder}.repaired`)).toBe(false);
  });

  it("recovers everything before the place where the file was cut off", async () => {
    const many = Array.from({ length: 3_000 }, (_, at) => cell(`value_${at} = ${at}`));
    const folder = await damage(() => {});
    const store = open(folder);
    for (let at = 0; at < 30; at += 1) await put(store, [named(`${at}.ipynb`, many.slice(100 * at, 100 * at + 100))]);
    await store.close();
    const file = join(folder, "cells.db");
    truncateSync(file, Math.floor(0.7 * statSync(file).size));
    const { cells, notebooks } = await repairIndex(folder, IDENTITY, writer);
    expect(notebooks).toBe(33);
    expect(cells).toBeGreaterThan(1_000);
    expect(await open(folder).counts()).toMatchObject({ cells, notebooks });
  });
});
