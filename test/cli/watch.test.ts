import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { cellId, notebookId } from "../../src/notebook/extract.js";
import { celrec, ipynb, makeFolder, openIndex, start } from "./celrec.js";

describe("celrec watch", () => {
  it("indexes existing notebooks, then follows changes, and lets other writers in", async () => {
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
    // A file saved later has been indexed, so the half-written file has been seen.
    writeFileSync(join(folder, "n/c.ipynb"), ipynb("c = 1"));
    await running.until(/indexed c\.ipynb: 1 cells/);
    rmSync(join(folder, "n/c.ipynb"));
    writeFileSync(join(folder, "n/b.ipynb"), ipynb("b = 2"));
    await until(["a = 1", "b = 2", "x = 1"]);
    rmSync(join(folder, "n/a.ipynb"));
    await until(["b = 2", "x = 1"]);
    running.child.kill("SIGINT");
    expect((await running.ended).code).toBe(0);
  });

  it("removes deleted notebooks at the start, and keeps those of a folder that is temporarily missing", async () => {
    const folder = makeFolder({
      "n/a.ipynb": ipynb("a = 1"),
      "n/b.ipynb": ipynb("b = 1"),
      "n/c.ipynb": ipynb("c = 1"),
    });
    const [watched, data] = [join(folder, "n"), join(folder, "index")];
    expect((await celrec(["index", watched, "--data", data])).code).toBe(0);
    rmSync(join(watched, "c.ipynb"));
    const running = start(["watch", watched, "--data", data]);
    await running.until(/removed 1 notebooks that no longer exist/);
    await running.until(/Watching /);
    const { store } = await openIndex(data);
    renameSync(watched, join(folder, "moved"));
    await running.until(/n is missing; its notebooks stay in the index\. Waiting for it to return\./);
    expect((await store.counts()).notebooks).toBe(2);
    writeFileSync(join(folder, "moved/d.ipynb"), ipynb("d = 1"));
    rmSync(join(folder, "moved/a.ipynb"));
    renameSync(join(folder, "moved"), watched);
    await running.until(/removed 1 notebooks that no longer exist[\s\S]*removed 1 notebooks that no longer exist/);
    writeFileSync(join(watched, "e.ipynb"), ipynb("e = 1"));
    await running.until(/indexed e\.ipynb: 1 cells/);
    expect((await store.missing(["b = 1", "d = 1", "e = 1"].map(cellId))).size).toBe(0);
    expect(await store.counts()).toMatchObject({ notebooks: 3 });
    expect([...running.output().matchAll(/removed (\d+)/g)].map(([, count]) => count)).toEqual(["1", "1"]);
    running.child.kill("SIGINT");
    expect((await running.ended).code).toBe(0);
  });

  it("misses nothing that changes while it starts, in new folders, or in moved and replaced ones", async () => {
    const folder = makeFolder({ "n/0.ipynb": ipynb("n = 0") });
    const [watched, data] = [join(folder, "n"), join(folder, "index")];
    const running = start(["watch", watched, "--data", data]);
    let written = 1;
    // Each file is alone in its new folder, and is written as soon as the folder exists.
    const writeOne = () => {
      const own = join(watched, `${written % 7}/${written}`);
      mkdirSync(own, { recursive: true });
      writeFileSync(join(own, "a.ipynb"), ipynb(`n = ${written}`));
      written += 1;
    };
    while (!/Watching /.test(running.output()) && running.child.exitCode === null) {
      writeOne();
      await sleep(20);
    }
    for (let more = 0; more < 20; more += 1) writeOne();
    const { store } = await openIndex(data);
    const until = async (numbers: readonly number[]) => {
      const wanted = numbers.map((number) => cellId(`n = ${number}`));
      for (let waited = 0; waited < 30_000; waited += 50) {
        if ((await store.counts()).cells === wanted.length && (await store.missing(wanted)).size === 0) return;
        await sleep(50);
      }
      throw new Error(`not ${numbers.length} cells but ${(await store.counts()).cells}: ${running.output()}`);
    };
    const all = Array.from({ length: written }, (_, at) => at);
    await until(all);
    // A folder that is moved away takes its notebooks along; one that is moved back brings them.
    renameSync(join(watched, "1"), join(folder, "away"));
    const left = all.filter((number) => number === 0 || number % 7 !== 1);
    await until(left);
    renameSync(join(folder, "away"), join(watched, "back"));
    await until(all);
    rmSync(watched, { recursive: true });
    mkdirSync(watched);
    writeFileSync(join(watched, "new.ipynb"), ipynb("n = 0"));
    await until([0]);
    running.child.kill("SIGINT");
    expect((await running.ended).code).toBe(0);
  });

  it("indexes like `index`: no links, with facts of a kernel, no script without cells", async () => {
    const folder = makeFolder({
      "outside.ipynb": ipynb("outside = 1"),
      "n/k.ipynb": ipynb("k = 1"),
      "n/kernel-metadata.json": JSON.stringify({ id: "ann/k", title: "K", code_file: "k.ipynb" }),
      "n/s.py": "# %%\ns = 1\n",
      "n/bad.ipynb": "[]",
    });
    const [watched, data] = [join(realpathSync(folder), "n"), join(folder, "index")];
    symlinkSync(folder, join(watched, "loop"));
    const running = start(["watch", watched, "--data", data]);
    await running.until(/2 notebooks \(0 unchanged\), 2 cells\n/);
    await running.until(/bad\.ipynb: JSON, but not a notebook/);
    await running.until(/Watching /);
    symlinkSync(folder, join(watched, "again"));
    symlinkSync(join(folder, "outside.ipynb"), join(watched, "link.ipynb"));
    writeFileSync(join(watched, "k.ipynb"), ipynb("k = 2"));
    await running.until(/indexed k\.ipynb: 1 cells/);
    writeFileSync(join(watched, "s.py"), "s = 1\n");
    await running.until(/removed s\.py: it is a script without cells now/);
    const { store } = await openIndex(data);
    expect(await store.notebooks({ limit: 9 })).toMatchObject([{ name: "k.ipynb" }]);
    const location = join(watched, "k.ipynb");
    const facts = { location, title: "K", author: "ann", url: "https://www.kaggle.com/code/ann/k" };
    expect(await store.notebook(notebookId("k.ipynb", watched))).toMatchObject({ facts });
    running.child.kill("SIGINT");
    expect((await running.ended).code).toBe(0);
  });

  it("sends saved and deleted notebooks to a service", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb("a = 1"), "n/plain.py": "x = 1", "n/broken.ipynb": "[]" });
    const token = "0123456789abcdef";
    const env = { CELREC_TOKEN: token };
    const serving = start(["serve", "--port", "0", "--data", join(folder, "index")], { env });
    const [, url] = await serving.until(/on (http:\/\/127\.0\.0\.1:\d+)/);
    const running = start(["watch", join(folder, "n"), "--source", "team", "--server", url!], { env });
    await running.until(/1 notebooks are at http.*, 1 of them new or changed\./);
    await running.until(/^broken\.ipynb: JSON, but not a notebook/m);
    await running.until(/Watching /);
    writeFileSync(join(folder, "n/b.ipynb"), ipynb("b = 1", "b = 2"));
    await running.until(/indexed b\.ipynb: 2 cells/);
    rmSync(join(folder, "n/a.ipynb"));
    await running.until(/removed a\.ipynb/);
    const answer = await fetch(`${url}/v1/notebooks`, { headers: { authorization: `Bearer ${token}` } });
    const { notebooks } = (await answer.json()) as { notebooks: { source: string; name: string; cells: number }[] };
    expect(notebooks.map(({ source, name, cells }) => [source, name, cells])).toEqual([["team", "b.ipynb", 2]]);
    running.child.kill("SIGINT");
    expect((await running.ended).code).toBe(0);
    const nowhere = await celrec(["watch", join(folder, "n"), "--server", "http://127.0.0.1:1"]);
    const reason = "celrec: No service answers at http://127.0.0.1:1; is it running?\n";
    expect(nowhere).toEqual({ code: 1, signal: null, stdout: "", stderr: reason });
  });

  it("accepts only folders", async () => {
    const folder = makeFolder({ "a.ipynb": ipynb("a = 1") });
    expect((await celrec(["watch", join(folder, "a.ipynb"), "--data", join(folder, "i")])).code).toBe(2);
  });
});
