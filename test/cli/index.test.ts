import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { notebookId } from "../../src/notebook/extract.js";
import { celrec, ipynb, makeFolder, openIndex, start } from "./celrec.js";

const READ = 'df = pd.read_csv("a.csv")';
const FIT = "model.fit(X, y)";

describe("celrec index", () => {
  it("indexes a folder, prints a summary on stdout, and the second time finds nothing to do", async () => {
    const folder = makeFolder({
      "a.ipynb": ipynb(READ, FIT, "# nothing"),
      "sub/b.ipynb": ipynb(READ),
      "c.py": `# %%\n${FIT}\n`,
      "plain.py": "x = 1\n",
      ".hidden/d.ipynb": ipynb(FIT),
    });
    const data = join(folder, "index");
    const first = await celrec(["index", folder, "--data", data]);
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toMatch(
      /^3 notebooks \(0 unchanged, 0 replaced\), 4 cells: 2 new, 2 duplicate, 1 skipped \(1 comments only\), in \d+\.\d s\n$/,
    );
    const second = await celrec(["index", folder, "--data", data]);
    expect(second.stdout).toMatch(/^3 notebooks \(3 unchanged, 0 replaced\), 4 cells: 0 new, 4 duplicate, 1 skipped, /);
    const stats = JSON.parse((await celrec(["stats", "--json", "--data", data])).stdout);
    expect(stats).toMatchObject({ cells: 2, notebooks: 3, occurrences: 4 });
  });

  it("prints exactly one JSON document with --json, and exits 4 if some files were rejected", async () => {
    const folder = makeFolder({ "a.ipynb": ipynb(READ), "bad.ipynb": "{", "list.ipynb": "[]" });
    const { code, stdout, stderr } = await celrec([
      ...["index", folder, "--json", "--list", "--data", join(folder, "index")],
    ]);
    expect([code, stderr]).toEqual([4, ""]);
    const { totals, notebooks, rejected, ...rest } = JSON.parse(stdout);
    expect(rest).toEqual({ rejectedFile: join(folder, "index/rejected.jsonl") });
    const { seconds, ...counts } = totals;
    expect(seconds).toBeGreaterThan(0);
    expect(counts).toEqual({
      files: 3,
      notebooks: 1,
      unchanged: 0,
      replaced: 0,
      cells: 1,
      new: 1,
      duplicate: 0,
      skipped: 0,
      skippedBecause: { empty: 0, "comments only": 0, "too long": 0, "no tokens": 0 },
      rejected: 2,
    });
    expect(notebooks).toEqual([
      {
        id: notebookId("a.ipynb", realpathSync(folder)),
        source: realpathSync(folder),
        name: "a.ipynb",
        cells: 1,
        new: 1,
        duplicate: 0,
        skipped: 0,
        replaced: false,
        skips: {},
      },
    ]);
    expect(rejected.map(({ name }: { name: string }) => name)).toEqual(["bad.ipynb", "list.ipynb"]);
  });

  it("prevents file names from faking a line of the output", async () => {
    const folder = makeFolder({ "a.ipynb": ipynb(READ), "b\n0 files rejected\tx.ipynb": "[]" });
    const { code, stdout } = await celrec(["index", folder, "--data", join(folder, "index")]);
    const [, ...rejected] = stdout.trimEnd().split("\n");
    const name = "  b\\u000a0 files rejected\\u0009x.ipynb";
    const reason = "JSON, but not a notebook: the top is a list, not an object";
    expect([code, rejected]).toEqual([4, ["1 file rejected:", `${name}: ${reason}`]]);
  });

  it("exits 1 if every file was rejected, and names them", async () => {
    const folder = makeFolder({ "bad.ipynb": "[]" });
    const { code, stdout } = await celrec(["index", join(folder, "bad.ipynb"), "--data", join(folder, "index")]);
    expect(code).toBe(1);
    expect(stdout).toContain("  bad.ipynb: JSON, but not a notebook: the top is a list, not an object\n");
  });

  it("exits 1 for a missing path and an empty folder, and 2 without any path", async () => {
    const folder = makeFolder();
    const data = join(folder, "index");
    const [missing, empty, none] = await Promise.all([
      celrec(["index", join(folder, "nowhere"), "--data", data]),
      celrec(["index", folder, "--data", data]),
      celrec(["index", "--data", data]),
    ]);
    expect(missing).toMatchObject({
      code: 1,
      stdout: "",
      stderr: `celrec: There is no file or folder ${join(folder, "nowhere")}; check the path.\n`,
    });
    expect(empty).toMatchObject({ code: 1, stdout: "", stderr: `celrec: There is no notebook in ${folder}.\n` });
    expect(none).toMatchObject({
      code: 2,
      stdout: "",
      stderr: "error: missing required argument 'paths'\nSee: celrec index --help\n",
    });
  });

  it("lists notebooks with --json only on request", async () => {
    const folder = makeFolder({ "a.ipynb": ipynb(READ) });
    const { stdout } = await celrec(["index", folder, "--json", "--data", join(folder, "index")]);
    expect(Object.keys(JSON.parse(stdout))).toEqual(["totals", "rejected"]);
  });

  it("does not read unchanged files, and removes deleted ones with --prune", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb(READ), "n/b.ipynb": ipynb(FIT), "n/c.ipynb": ipynb("x = 1") });
    const data = join(folder, "index");
    for (const name of ["a", "b", "c"]) utimesSync(join(folder, `n/${name}.ipynb`), 1_000, 1_000);
    await celrec(["index", join(folder, "n"), "--data", data]);
    // The content changes, but not the size and the time. Only reading the file shows the change.
    writeFileSync(join(folder, "n/a.ipynb"), ipynb(READ.replace("a.csv", "b.csv")));
    utimesSync(join(folder, "n/a.ipynb"), 1_000, 1_000);
    rmSync(join(folder, "n/c.ipynb"));
    const kept = await celrec(["index", join(folder, "n"), "--data", data]);
    expect(kept.stdout).toMatch(/^2 notebooks \(2 unchanged, 0 replaced\), 2 cells: /);
    expect(kept.stderr).toBe(
      "1 indexed notebooks of this source no longer exist in these paths; --prune removes them.\n",
    );
    const told = await celrec(["index", join(folder, "n"), "--json", "--data", data]);
    expect(JSON.parse(told.stdout)).toMatchObject({ gone: 1 });
    const { store } = await openIndex(data);
    expect((await store.counts()).notebooks).toBe(3);
    const pruned = await celrec(["index", join(folder, "n"), "--prune", "--data", data]);
    expect(pruned.stdout).toMatch(/^2 notebooks \(2 unchanged, 0 replaced, 1 removed\), /);
    expect(pruned.stderr).toBe("");
    expect(await store.counts()).toMatchObject({ notebooks: 2, cells: 2 });
    utimesSync(join(folder, "n/a.ipynb"), 2_000, 2_000);
    const changed = await celrec(["index", join(folder, "n"), "--data", data]);
    expect(changed.stdout).toMatch(/^2 notebooks \(1 unchanged, 1 replaced\), 2 cells: 1 new, /);
  });

  it("removes with --prune a script that has no cells any more", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb(READ), "n/s.py": `# %%\n${FIT}\n` });
    const data = join(folder, "index");
    await celrec(["index", join(folder, "n"), "--data", data]);
    writeFileSync(join(folder, "n/s.py"), `${FIT}\n`);
    const pruned = await celrec(["index", join(folder, "n"), "--prune", "--data", data]);
    expect(pruned.stdout).toMatch(/^1 notebooks \(1 unchanged, 0 replaced, 1 removed\), /);
  });

  it("reports skipped parts of a folder", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb(READ), "n/data.zip": "x", "m/data.tgz": "x" });
    const data = join(folder, "index");
    const { code, stderr } = await celrec(["index", join(folder, "n"), "--data", data]);
    expect([code, stderr]).toEqual([0, "Skipped: 1 archives (data.zip); index one by its own path.\n"]);
    const { stdout } = await celrec(["index", join(folder, "n"), "--json", "--data", data]);
    expect(JSON.parse(stdout).leftOut).toEqual([{ kind: "archives", count: 1, first: ["data.zip"] }]);
    const none = await celrec(["index", join(folder, "m"), "--data", data]);
    expect([none.code, none.stderr]).toEqual([
      1,
      `celrec: There is no notebook in ${join(folder, "m")}. Skipped: 1 archives (data.tgz); index one by its own path.\n`,
    ]);
  });

  it("reads everything again if the index was cleared, even if the ledger knows the files", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb(READ) });
    const data = join(folder, "index");
    utimesSync(join(folder, "n/a.ipynb"), 1_000, 1_000);
    await celrec(["index", join(folder, "n"), "--data", data]);
    await celrec(["clear", "--yes", "--data", data]);
    const { stdout } = await celrec(["index", join(folder, "n"), "--data", data]);
    expect(stdout).toMatch(/^1 notebooks \(0 unchanged, 0 replaced\), 1 cells: 1 new, /);
  });

  it("does not prune for single files, nor below unreadable folders", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb(READ) });
    const { code, stderr } = await celrec(["index", join(folder, "n/a.ipynb"), "--prune", "--data", join(folder, "i")]);
    expect([code, stderr]).toEqual([2, "celrec: --prune needs whole folders or archives, not single files.\n"]);
  });

  it("writes rejected files to a file, and events on request", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb(READ), "n/b.ipynb": "{" });
    const data = join(folder, "index");
    const { code, stdout } = await celrec(["index", join(folder, "n"), "--json-events", "--data", data]);
    expect(code).toBe(4);
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events[0]).toMatchObject({ event: "progress", phase: "reading", files: 2, cells: 1, new: 1, rejected: 1 });
    expect(events.at(-1)).toMatchObject({
      event: "end",
      totals: { notebooks: 1 },
      rejectedFile: join(data, "rejected.jsonl"),
    });
    const lines = readFileSync(join(data, "rejected.jsonl"), "utf8").trim().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { source: realpathSync(join(folder, "n")), name: "b.ipynb", reason: expect.stringMatching(/^not JSON: /) },
    ]);
    rmSync(join(folder, "n/b.ipynb"));
    await celrec(["index", join(folder, "n"), "--data", data]);
    expect(existsSync(join(data, "rejected.jsonl"))).toBe(false);
  });

  it("ends in the state of one run if four shards run one after another, in any order", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`n/${at}.ipynb`, ipynb(`x = ${at}`, `y = ${at % 3}`)]),
    );
    const folder = makeFolder(files);
    const [parts, whole] = [join(folder, "parts"), join(folder, "whole")];
    for (const shard of ["3/4", "1/4", "4/4", "2/4", "3/4"])
      await celrec(["index", join(folder, "n"), "--shard", shard, "--data", parts]);
    await celrec(["index", join(folder, "n"), "--data", whole]);
    const [one, other] = [await openIndex(parts), await openIndex(whole)];
    expect(await one.store.counts()).toEqual(await other.store.counts());
    expect(await one.store.notebooks({ limit: 99 })).toEqual(await other.store.notebooks({ limit: 99 }));
    expect(await celrec(["index", folder, "--shard", "5/4"])).toMatchObject({ code: 2 });
  });

  it("accepts an empty shard, but not an empty folder", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb(READ) });
    const data = join(folder, "index");
    await celrec(["index", join(folder, "n"), "--data", data]);
    const words = ["--prune", "--json", "--data", data];
    const results = [];
    for (const shard of ["1/2", "2/2"])
      results.push(await celrec(["index", join(folder, "n"), "--shard", shard, ...words]));
    expect(results.map(({ code }) => code)).toEqual([0, 0]);
    const totals = results.map(({ stdout }) => JSON.parse(stdout).totals);
    expect(totals.map(({ files }) => files).sort()).toEqual([0, 1]);
    expect(totals.map(({ pruned }) => pruned)).toEqual([0, 0]);
    rmSync(join(folder, "n/a.ipynb"));
    expect((await celrec(["index", join(folder, "n"), "--shard", "1/2", ...words])).code).toBe(1);
  });

  it("lists sources, and forgets one", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb(READ), "m/b.ipynb": ipynb(FIT, READ), "m/c.ipynb": "{" });
    const data = join(folder, "index");
    await celrec(["index", join(folder, "n"), "--data", data]);
    await celrec(["index", join(folder, "m"), "--source", "team", "--data", data]);
    const { sources } = JSON.parse((await celrec(["sources", "--json", "--data", data])).stdout);
    const lastSync = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    const id = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(sources).toEqual([
      { id, source: realpathSync(join(folder, "n")), notebooks: 1, cells: 1, skipped: 0, lastSync, rejected: 0 },
      { id, source: "team", notebooks: 1, cells: 2, skipped: 0, lastSync, rejected: 1 },
    ]);
    const forgotten = await celrec(["sources", "--forget", "team", "--data", data]);
    expect(forgotten).toMatchObject({ code: 0, stdout: "team: 1 notebooks removed\n" });
    const { store } = await openIndex(data);
    expect(await store.counts()).toMatchObject({ notebooks: 1, cells: 1 });
    expect((await celrec(["sources", "--forget", "team", "--data", data])).code).toBe(1);
    rmSync(join(folder, "n"), { recursive: true });
    const gone = await celrec(["sources", "--forget", "n/", "--data", data], { cwd: folder });
    expect(gone).toMatchObject({ code: 0, stdout: `${join(realpathSync(folder), "n")}: 1 notebooks removed\n` });
  });

  it("distinguishes notebooks of the same name in two folders, however the folders are given", async () => {
    const folder = makeFolder({ "pA/analysis.ipynb": ipynb(READ), "pB/analysis.ipynb": ipynb(FIT) });
    const [one, two] = [join(folder, "one"), join(folder, "two")];
    for (const name of ["pA", "pB"]) await celrec(["index", name, "--data", one], { cwd: folder });
    await celrec(["index", join(folder, "pA"), join(folder, "pB"), "--data", two]);
    for (const data of [one, two]) {
      const { store } = await openIndex(data);
      const found = (await store.notebooks({ limit: 9 })).map(({ source, name }) => [source, name]);
      expect(found.sort()).toEqual(["pA", "pB"].map((name) => [join(realpathSync(folder), name), "analysis.ipynb"]));
    }
  });

  it("rejects a name that is empty or has a line break", async () => {
    for (const [command, name] of [
      ["index", ""],
      ["index", "a\nb"],
      ["watch", ""],
    ] as const) {
      const { code, stderr } = await celrec([command, ".", "--source", name]);
      expect([code, stderr]).toEqual([2, expect.stringContaining("It must have 1 to 1,024 characters")]);
    }
  });

  it("gives a named corpus the same ids on every machine", async () => {
    const folder = makeFolder({ "here/a.ipynb": ipynb(READ), "there/a.ipynb": ipynb(READ) });
    const data = join(folder, "index");
    await celrec(["index", join(folder, "here"), "--source", "team", "--data", data]);
    const { stdout } = await celrec(["index", join(folder, "there"), "--source", "team", "--data", data]);
    expect(stdout).toContain("1 notebooks (0 unchanged, 1 replaced), 1 cells: 0 new, 1 duplicate");
    const { store } = await openIndex(data);
    expect((await store.counts()).notebooks).toBe(1);
    expect(await store.notebook(notebookId("a.ipynb", "team"))).toMatchObject({
      source: "team",
      name: "a.ipynb",
      facts: { location: join(realpathSync(folder), "there/a.ipynb") },
    });
  });

  it("reports a pipe, a device and a plain script, and reads the rest", async () => {
    const folder = makeFolder({ "a.ipynb": ipynb(READ), "plain.py": "x = 1" });
    const pipe = join(folder, "pipe.ipynb");
    execFileSync("mkfifo", [pipe]);
    const { code, stdout } = await celrec([
      ...["index", pipe, "/dev/zero", join(folder, "plain.py"), join(folder, "a.ipynb")],
      ...["--data", join(folder, "index")],
    ]);
    expect(code).toBe(4);
    expect(stdout.split("\n").slice(1, -1)).toEqual([
      "3 files rejected:",
      `  ${folder}/pipe.ipynb: a named pipe, not a file`,
      "  /dev/zero: a device, not a file",
      `  ${folder}/plain.py: a script without cells: no line \`# %%\` starts one, and there is no \`app = marimo.App(\``,
    ]);
  });

  it("rejects a script of 100 MB of markers, and takes the rest", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb(READ) });
    const file = openSync(join(folder, "n/huge.py"), "w");
    const lines = "# %%\n".repeat(2 ** 18);
    for (let size = 0; size < 100 * 2 ** 20; size += lines.length) writeSync(file, lines);
    closeSync(file);
    const { code, stdout } = await celrec(["index", join(folder, "n"), "--data", join(folder, "index")]);
    expect(code).toBe(4);
    expect(stdout).toMatch(/^1 notebooks .*\n1 file rejected:\n {2}huge\.py: 100 MB, over the limit of 25 MB\n$/);
  });

  it("exits 1 for a folder that cannot be read", async ({ skip }) => {
    if (process.getuid?.() === 0) {
      console.warn("skipped: root can read every folder");
      skip();
    }
    const folder = makeFolder({ "locked/a.ipynb": ipynb(FIT) });
    chmodSync(join(folder, "locked"), 0);
    onTestFinished(() => chmodSync(join(folder, "locked"), 0o700));
    const { code, stdout } = await celrec(["index", join(folder, "locked"), "--data", join(folder, "index")]);
    expect(code).toBe(1);
    expect(stdout).toContain("  .: the folder cannot be read: EACCES");
  });

  it("replaces a notebook whose file changed", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb(READ) });
    const data = join(folder, "index");
    await celrec(["index", join(folder, "n"), "--data", data]);
    writeFileSync(join(folder, "n/a.ipynb"), ipynb(FIT));
    const { stdout } = await celrec(["index", join(folder, "n"), "--data", data]);
    expect(stdout).toMatch(/^1 notebooks \(0 unchanged, 1 replaced\), 1 cells: 1 new, /);
    const stats = JSON.parse((await celrec(["stats", "--json", "--data", data])).stdout);
    expect(stats).toMatchObject({ cells: 1, notebooks: 1 });
  });

  it("stops at Ctrl-C with a valid index, and resumes the next time", async () => {
    const count = 600;
    const cells = (notebook: number) =>
      Array.from({ length: 12 }, (_, at) => `frame_${notebook}_${at} = pd.read_csv("f${at}.csv")\nprint(${notebook})`);
    const folder = makeFolder(
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`n/${at}.ipynb`, ipynb(...cells(at))])),
    );
    const data = join(folder, "index");
    const running = start(["index", join(folder, "n"), "--data", data, "--json"]);
    const { store } = await openIndex(data);
    while ((await store.counts()).cells === 0) await sleep(5);
    running.child.kill("SIGINT");
    const { code, stdout, stderr } = await running.ended;
    expect(code).toBe(130);
    // A slow machine prints progress first.
    const [, done] = /^Interrupted; (\d+) notebooks are stored\. Run the same command again to continue\.\n$/m.exec(
      stderr,
    )!;
    expect(Number(done)).toBeGreaterThan(0);
    expect(Number(done)).toBeLessThan(count);
    expect(JSON.parse(stdout)).toMatchObject({ interrupted: true, totals: { notebooks: Number(done) } });
    expect(await store.counts()).toMatchObject({ notebooks: Number(done), cells: 12 * Number(done) });

    const again = await celrec(["index", join(folder, "n"), "--data", data]);
    expect(again.code).toBe(0);
    expect(again.stdout).toContain(`600 notebooks (${done} unchanged, 0 replaced), 7200 cells: `);
    expect(await store.counts()).toMatchObject({ notebooks: count, cells: 12 * count });
  });
});
