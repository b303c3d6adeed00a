import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmbeddedStore } from "../../src/store/embedded.js";
import { fastFolder } from "../fast-folder.js";
import { IDENTITY } from "./contract/fixtures.js";

const sha = (text: string) => createHash("sha256").update(text).digest("hex");

function makeFolder(): string {
  const folder = mkdtempSync(join(fastFolder, "celrec-layout-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const open = (folder: string) => {
  const store = createEmbeddedStore({ folder, identity: IDENTITY, writer: { pid: 1, activity: "test" }, hold: "call" });
  onTestFinished(() => store.close());
  return store;
};

describe("an index of another layout", () => {
  it("of an older version is rejected with the command that rebuilds it", async () => {
    const folder = makeFolder();
    const database = new Libsql(join(folder, "cells.db"));
    database.exec("create table meta (key text primary key, value text not null) without rowid");
    database.close();
    await expect(open(folder).open()).rejects.toMatchObject({
      code: "INDEX_MISMATCH",
      message: `The index in ${folder} has layout 1, and this celrec reads layout 2. Delete the folder and index the notebooks again: celrec index PATHS`,
    });
  });

  it("is refused if it is newer", async () => {
    const folder = makeFolder();
    const store = open(folder);
    await store.open();
    await store.close();
    const database = new Libsql(join(folder, "cells.db"));
    database.exec("update state set layout = 99");
    database.close();
    await expect(open(folder).open()).rejects.toMatchObject({
      code: "INDEX_MISMATCH",
      message: `The index in ${folder} has layout 99, and this celrec reads layout 2. Use the newer celrec version that created it.`,
    });
  });
});

describe("the counters", () => {
  it("are kept, and equal the tables", async () => {
    const folder = makeFolder();
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
