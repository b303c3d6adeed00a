import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { CorpusItem } from "../../../src/notebook/corpus/entry.js";
import { openPaths } from "../../../src/notebook/corpus/open-paths.js";
import { readRegularFile } from "../../../src/notebook/file-system.js";

function makeFolder(...names: string[]): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "celrec-corpus-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of names) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), name);
  }
  return folder;
}

async function list(paths: readonly string[], source?: string): Promise<CorpusItem[]> {
  const opened = await openPaths(paths, source === undefined ? {} : { source });
  const found: CorpusItem[] = [];
  for await (const each of opened.corpus) found.push(each);
  expect(await opened.count()).toBe(found.length);
  return found;
}

const identities = async (paths: readonly string[], source?: string) =>
  (await list(paths, source)).map((found) => [found.source, found.path]);

describe("openPaths", () => {
  it("identifies notebooks by the folder's real path and their path below it, in order, with the facts of the file", async () => {
    const folder = makeFolder("b.ipynb", "a/z.ipynb", "a/deep/x.ipynb", "B.ipynb", "s.py", "a/__init__.py", "t.csv");
    expect(await list([folder])).toMatchObject(Array.from({ length: 5 }, () => ({ stamp: null })));
    utimesSync(join(folder, "B.ipynb"), 1_000, 1_000);
    const found = await list([folder]);
    expect(found.map(({ path }) => path)).toEqual(["B.ipynb", "a/deep/x.ipynb", "a/z.ipynb", "b.ipynb", "s.py"]);
    const [first] = found;
    expect(first).toMatchObject({
      source: folder,
      facts: { location: join(folder, "B.ipynb") },
      stamp: "7 1000000",
      size: 7,
      named: false,
    });
    expect(await ("read" in first! && first.read())).toEqual({ format: "ipynb", file: join(folder, "B.ipynb") });
    expect(await ("read" in found[4]! && found[4].read())).toEqual({ format: "script", file: join(folder, "s.py") });
  });

  it("accepts extensions in capitals", async () => {
    const folder = makeFolder("A.IPYNB", "B.Py", "C.TXT");
    const found = await list([folder]);
    const formats = await Promise.all(found.map(async (each) => "read" in each && (await each.read())));
    expect(formats).toMatchObject([{ format: "ipynb" }, { format: "script" }]);
  });

  it("leaves out checkpoints, hidden folders, caches and packages", async () => {
    const hidden = [".ipynb_checkpoints/a.ipynb", "s/.git/c.ipynb", "node_modules/p/d.ipynb", "__pycache__/e.ipynb"];
    const folder = makeFolder("a.ipynb", ...hidden);
    expect(await identities([folder])).toEqual([[folder, "a.ipynb"]]);
  });

  it("uses the folder of a file as its source, for any format", async () => {
    const folder = makeFolder("sub/plain.py", "sub/n.odd");
    const source = join(folder, "sub");
    expect(await list([join(source, "plain.py"), join(source, "n.odd")])).toMatchObject([
      { source, path: "plain.py", named: true },
      { source, path: "n.odd", named: true },
    ]);
  });

  it("gives a folder the same name for every path to it", async () => {
    const folder = makeFolder("sub/a.ipynb");
    symlinkSync(join(folder, "sub"), join(folder, "link"));
    const expected = [[join(folder, "sub"), "a.ipynb"]];
    expect(await identities([join(folder, "link")])).toEqual(expected);
    expect(await identities([`${folder}/sub/../sub/`])).toEqual(expected);
    expect(await identities([join(folder, "link", "a.ipynb")])).toEqual(expected);
  });

  it("reads a file below two paths once, for the first path", async () => {
    const folder = makeFolder("a.ipynb", "sub/b.ipynb", "sub/c.ipynb");
    const sub = join(folder, "sub");
    const whole = [
      [folder, "a.ipynb"],
      [folder, "sub/b.ipynb"],
      [folder, "sub/c.ipynb"],
    ];
    expect(await identities([folder, folder, sub, join(sub, "b.ipynb")])).toEqual(whole);
    expect(await identities([sub, folder])).toEqual([
      [sub, "b.ipynb"],
      [sub, "c.ipynb"],
      [folder, "a.ipynb"],
    ]);
    expect(await identities([join(sub, "c.ipynb"), folder])).toEqual([[sub, "c.ipynb"], ...whole.slice(0, 2)]);
  });

  it("takes the name of the source from the caller", async () => {
    const folder = makeFolder("sub/a.ipynb", "sub/b.ipynb", "other/c.ipynb");
    expect(await identities([join(folder, "sub")], "team")).toEqual([
      ["team", "a.ipynb"],
      ["team", "b.ipynb"],
    ]);
    expect(await identities([join(folder, "sub/b.ipynb"), join(folder, "sub/a.ipynb")], "team")).toEqual([
      ["team", "b.ipynb"],
      ["team", "a.ipynb"],
    ]);
    await expect(openPaths([join(folder, "sub"), join(folder, "other")], { source: "team" })).rejects.toMatchObject({
      code: "INPUT_INVALID",
    });
  });

  it("does not follow links inside a folder, so that loops end", async () => {
    const folder = makeFolder("sub/a.ipynb");
    symlinkSync(folder, join(folder, "sub/loop"));
    symlinkSync(join(folder, "sub/self"), join(folder, "sub/self"));
    expect(await identities([folder])).toEqual([[folder, "sub/a.ipynb"]]);
  });

  it("lists the archives, links and pipes that the last pass over a folder skipped", async () => {
    const folder = makeFolder("a.ipynb", "d/b.zip", "d/c.tar.gz", "d/e.TGZ", "t.txt", "x.jsonl");
    symlinkSync(join(folder, "d"), join(folder, "l"));
    symlinkSync(join(folder, "a.ipynb"), join(folder, "m.ipynb"));
    symlinkSync(join(folder, "t.txt"), join(folder, "n.txt"));
    execFileSync("mkfifo", [join(folder, "p.ipynb")]);
    const opened = await openPaths([folder]);
    const leftOut = [
      { kind: "archives", count: 3, first: ["d/b.zip", "d/c.tar.gz", "d/e.TGZ"] },
      { kind: "links", count: 2, first: ["l", "m.ipynb"] },
      { kind: "pipes, sockets or devices", count: 1, first: ["p.ipynb"] },
    ];
    for (const _ of [1, 2]) {
      const paths: string[] = [];
      for await (const { path } of opened.corpus) paths.push(path);
      expect([paths, opened.skipped()]).toEqual([["a.ipynb"], leftOut]);
    }
  });

  it("reads files whose names are not UTF-8, and distinguishes names by case", async () => {
    const folder = makeFolder("A.ipynb", "a.ipynb");
    const odd = Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9])]);
    mkdirSync(odd);
    writeFileSync(Buffer.concat([odd, Buffer.from("/n.ipynb")]), "odd");
    const opened = await openPaths([folder]);
    const found: CorpusItem[] = [];
    for await (const each of opened.corpus) found.push(each);
    expect(found.map(({ path }) => path)).toEqual(["A.ipynb", "a.ipynb", "caf\\xE9/n.ipynb"]);
    const last = found[2]!;
    expect("facts" in last && last.facts).toEqual({});
    const content = "read" in last ? await last.read() : { file: "" };
    expect(readRegularFile("file" in content ? content.file : "")).toEqual({ bytes: Buffer.from("odd") });
  });

  it("reports a folder that cannot be read, and continues", async ({ skip }) => {
    if (process.getuid?.() === 0) {
      console.warn("skipped: root can read every folder");
      return skip();
    }
    const folder = makeFolder("a.ipynb", "closed/b.ipynb", "d.ipynb");
    chmodSync(join(folder, "closed"), 0);
    onTestFinished(() => chmodSync(join(folder, "closed"), 0o700));
    expect(await list([folder])).toMatchObject([
      { path: "a.ipynb" },
      {
        path: "closed",
        rejected: { kind: "unreadable", reason: expect.stringContaining("EACCES") },
        isContainer: true,
      },
      { path: "d.ipynb" },
    ]);
  });

  it("reports a deleted folder, a pipe and a device", async () => {
    const folder = makeFolder("gone/a.ipynb");
    const opened = await openPaths([join(folder, "gone")]);
    rmSync(join(folder, "gone"), { recursive: true });
    const found: CorpusItem[] = [];
    for await (const each of opened.corpus) found.push(each);
    expect(found).toMatchObject([{ path: ".", rejected: { kind: "unreadable" }, isContainer: true }]);
    execFileSync("mkfifo", [join(folder, "pipe.ipynb")]);
    expect(await list([join(folder, "pipe.ipynb"), "/dev/zero"])).toMatchObject([
      { source: folder, path: "pipe.ipynb", rejected: { kind: "unreadable", reason: "a named pipe, not a file" } },
      { source: "/dev", path: "zero", rejected: { reason: "a device, not a file" } },
    ]);
  });

  it("reports a missing path before anything is read", async () => {
    const missing = join(makeFolder(), "nowhere");
    await expect(openPaths([missing])).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: `There is no file or folder ${missing}; check the path.`,
    });
  });
});
