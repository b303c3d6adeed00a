import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmbeddedStore } from "../../src/store/embedded.js";
import { fastFolder } from "../fast-folder.js";
import { IDENTITY } from "./contract/fixtures.js";

const sha = (text: string) => createHash("sha256").update(text).digest("hex");

/** The tables as they were before notebooks had a source. */
const OLD = `
  create table meta (key text primary key, value text not null) without rowid;
  create table cells (row integer primary key autoincrement, id text not null unique, code blob not null, clean blob not null,
    labels integer not null, primary_label integer not null, vector blob not null);
  create table notebooks (row integer primary key autoincrement, id text not null unique, name blob not null,
    version text not null, skipped integer not null);
  create table occurrences (notebook integer not null, cell_index integer not null, cell integer not null,
    primary key (notebook, cell_index)) without rowid;
  create index occurrences_by_cell on occurrences (cell);
  create table removed (seq integer primary key autoincrement, row integer not null);
`;

function makeOldIndex(
  cells: readonly { code: string; vector: number[] }[],
  notebooks: Record<string, number[]>,
): string {
  const folder = mkdtempSync(join(fastFolder, "celrec-layout-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const database = new Libsql(join(folder, "cells.db"));
  database.exec(OLD);
  const meta = database.prepare<[string, string]>("insert into meta values (?, ?)");
  meta.run("identity", JSON.stringify(IDENTITY));
  meta.run("generation", "0123456789ab");
  const putCell = database.prepare<[string, Buffer, Buffer, Buffer]>(
    "insert into cells (id, code, clean, labels, primary_label, vector) values (?, ?, ?, 1, 0, ?)",
  );
  for (const { code, vector } of cells) {
    const bytes = Buffer.from(Float32Array.from(vector).buffer);
    putCell.run(sha(code), Buffer.from(code), Buffer.from(code.trim()), bytes);
  }
  for (const [at, [name, held]] of Object.entries(notebooks).entries()) {
    database
      .prepare<[string, Buffer, string]>("insert into notebooks (id, name, version, skipped) values (?, ?, ?, 2)")
      .run(sha(name), Buffer.from(name), sha(`version of ${name}`));
    for (const [cellIndex, cell] of held.entries()) {
      database
        .prepare<[number, number, number]>("insert into occurrences values (?, ?, ?)")
        .run(at + 1, cellIndex, cell + 1);
    }
  }
  database.close();
  return folder;
}

const open = (folder: string) => {
  const store = createEmbeddedStore({ folder, identity: IDENTITY, writer: { pid: 1, activity: "test" }, hold: "call" });
  onTestFinished(() => store.close());
  return store;
};

describe("an index of the older layout", () => {
  it("is brought over on opening: ids, sources, counters, what stands where", async () => {
    const cells = [
      { code: "a = 1", vector: [1, 0, 0, 0] },
      { code: "b = 2\n\n", vector: [0, 1, 0, 0] },
      { code: "a = 1\n", vector: [1, 0, 0, 0] },
    ];
    const folder = makeOldIndex(cells, { "x/one.ipynb": [0, 1], "two.ipynb": [2, 1, 0] });
    const [a, b] = [sha("a = 1"), sha("b = 2")];
    const one = sha("upload\nx/one.ipynb");
    const two = sha("upload\ntwo.ipynb");
    const store = open(folder);
    expect(await store.counts()).toEqual({
      cells: 2,
      notebooks: 2,
      occurrences: 5,
      labels: { load: 2, plot: 0, train: 0 },
    });
    expect(await store.notebook(one)).toEqual({
      id: one,
      source: "upload",
      name: "x/one.ipynb",
      version: sha("version of x/one.ipynb"),
      skipped: 2,
      cells: [
        { cellIndex: 0, id: a },
        { cellIndex: 1, id: b },
      ],
      facts: {},
    });
    expect((await store.cells([b])).map(({ code }) => code)).toEqual(["b = 2"]);
    const first = { notebook: two, source: "upload", name: "two.ipynb", cellIndex: 0, facts: {} };
    expect((await store.provenance([a])).get(a)).toEqual({ count: 3, first });
    expect(await store.search({ vector: Float32Array.of(0, 1, 0, 0), k: 1 })).toEqual([{ id: b, score: 1 }]);
    await store.close();
    expect((await open(folder).counts()).occurrences).toBe(5);
  });

  it("refuses a layout that is newer than this program", async () => {
    const folder = makeOldIndex([], {});
    const store = open(folder);
    await store.open();
    await store.close();
    const database = new Libsql(join(folder, "cells.db"));
    database.exec("update state set layout = 99");
    database.close();
    await expect(open(folder).open()).rejects.toMatchObject({
      code: "INDEX_MISMATCH",
      message: expect.stringContaining("layout 99"),
    });
  });
});

describe("the counters", () => {
  it("are kept, and equal what the tables say", async () => {
    const folder = makeOldIndex([], {});
    const store = open(folder);
    for (let step = 0; step < 40; step += 1) {
      const codes = [`own ${step}`, `shared ${step % 3}`, `shared ${step % 3}`, `shared ${step % 5}`];
      const positions = codes.map((code, cellIndex) => ({ cellIndex, id: sha(code) }));
      const name = `n${step % 7}`;
      const notebook = {
        id: sha(name),
        source: "s",
        name,
        version: sha(`${step}`),
        skipped: 0,
        cells: positions,
        facts: {},
      };
      await store.write([notebook], async (ids) =>
        [...new Set(codes)]
          .filter((code) => ids.includes(sha(code)))
          .map((code) => ({
            id: sha(code),
            code,
            clean: code,
            labels: step % 2 ? ["load", "plot"] : ["train"],
            primary: null,
            vector: Float32Array.of(1, step, 0, 0),
          })),
      );
      if (step % 6 === 5) await store.remove(sha(`n${step % 4}`));
    }
    const counts = await store.counts();
    await store.close();
    const database = new Libsql(join(folder, "cells.db"));
    onTestFinished(() => void database.close());
    const all = (sql: string) => database.prepare(sql).raw().all() as number[][];
    expect(
      all("select (select count(*) from cells), (select count(*) from notebooks), (select count(*) from positions)"),
    ).toEqual([[counts.cells, counts.notebooks, counts.occurrences]]);
    expect(all("select cell, occurrences from held order by cell")).toEqual(
      all("select cell, count(*) from positions group by cell order by cell"),
    );
    expect(all("select cell, notebook, cell_index from occurrences order by 1, 2, 3")).toEqual(
      all("select cell, notebook, cell_index from positions order by 1, 2, 3"),
    );
    expect(all("select labels, cells from label_counts where cells > 0 order by 1")).toEqual(
      all("select labels, count(*) from cells group by labels order by 1"),
    );
    expect(all("select row, cells from notebooks order by 1")).toEqual(
      all("select notebook, count(*) from positions group by 1 order by 1"),
    );
    expect(all("select row from vectors order by 1")).toEqual(all("select row from cells order by 1"));
  });
});
