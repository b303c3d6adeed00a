import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { cellId } from "../../src/cells/extract.js";
import { celrec, ensureBuilt, ipynb, makeFolder, openIndex, start } from "./celrec.js";

beforeAll(ensureBuilt);

describe("celrec watch", () => {
  it("indexes what is there, then what is saved, changed and deleted, and gives way to other writers", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb("a = 1"), "other/x.ipynb": ipynb("x = 1") });
    const data = join(folder, "index");
    const running = start(["watch", join(folder, "n"), "--data", data]);
    await running.until(/Watching /);
    const { store } = await openIndex(data);
    const until = async (codes: readonly string[]) => {
      for (let waited = 0; waited < 30_000; waited += 50) {
        const missing = await store.missing(codes.map(cellId));
        if (missing.size === 0 && (await store.counts()).cells === codes.length) return;
        await sleep(50);
      }
      throw new Error(`not ${codes}: ${running.output()}`);
    };
    await until(["a = 1"]);
    writeFileSync(join(folder, "n/b.ipynb"), ipynb("b = 1"));
    await until(["a = 1", "b = 1"]);
    expect((await celrec(["index", join(folder, "other"), "--data", data])).code).toBe(0);
    writeFileSync(join(folder, "n/b.ipynb"), ipynb("b = 1").slice(0, 20));
    await sleep(800);
    writeFileSync(join(folder, "n/b.ipynb"), ipynb("b = 2"));
    await until(["a = 1", "b = 2", "x = 1"]);
    rmSync(join(folder, "n/a.ipynb"));
    await until(["b = 2", "x = 1"]);
    running.child.kill("SIGINT");
    expect((await running.ended).code).toBe(0);
  });

  it("takes folders only", async () => {
    const folder = makeFolder({ "a.ipynb": ipynb("a = 1") });
    expect((await celrec(["watch", join(folder, "a.ipynb"), "--data", join(folder, "i")])).code).toBe(2);
  });
});
