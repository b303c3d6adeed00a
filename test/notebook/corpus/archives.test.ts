import { execFileSync } from "node:child_process";
import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { gzipSync } from "node:zlib";
import { pack } from "tar-stream";
import unbzip2 from "unbzip2-stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { type ReadNotebook, readContent } from "../../../src/ingest/read-content.js";
import { ARCHIVE_LIMITS, readTar, readZip } from "../../../src/notebook/corpus/archives.js";
import type { Corpus, CorpusItem } from "../../../src/notebook/corpus/entry.js";
import { readJsonLinesCorpus } from "../../../src/notebook/corpus/jsonl.js";
import { joinMetaKaggle, nameKgtorrent } from "../../../src/notebook/corpus/kaggle.js";
import { openPaths } from "../../../src/notebook/corpus/open-paths.js";
import { makeZip } from "./zip-file.js";

/** Three files in two streams of bzip2, as parallel compressors write them; and the tables. */
const KGTORRENT_TAR = "test/notebook/corpus/kgtorrent.tar.bz2";
const KGTORRENT_DUMP = "test/notebook/corpus/kgtorrent.sql.bz2";

const ipynb = (...sources: string[]) =>
  JSON.stringify({ nbformat: 4, cells: sources.map((source) => ({ cell_type: "code", source })) });

function makeFolder(files: Readonly<Record<string, string | Buffer>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "celrec-archive-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

async function collect(corpus: Corpus): Promise<CorpusItem[]> {
  const found: CorpusItem[] = [];
  for await (const each of corpus) found.push(each);
  return found;
}

/** The path of each entry, with its code or the reason why it was skipped. */
async function contents(corpus: Corpus): Promise<[string, string[] | string][]> {
  const codes = (read: ReadNotebook) =>
    "code" in read ? read.code.cells.map(({ code }) => code) : read.rejected.reason;
  const result: [string, string[] | string][] = [];
  for (const found of await collect(corpus)) {
    const content = "rejected" in found ? found : await found.read();
    result.push([found.path, codes("rejected" in content ? content : readContent(content))]);
  }
  return result;
}

async function makeTar(entries: readonly [string, string | Buffer][], type?: "symlink"): Promise<Buffer> {
  const archive = pack();
  for (const [name, content] of entries)
    archive.entry(
      type === undefined ? { name } : { name, type, linkname: "x" },
      type === undefined ? content : undefined!,
    );
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

describe("a zip archive", () => {
  it("is a source of its own, read by its directory", async () => {
    const zip = makeZip([
      { name: "a.ipynb", content: ipynb("a = 1") },
      { name: "sub/", content: "" },
      { name: "sub/é.ipynb", content: ipynb("b = 2"), method: 0 },
      { name: "sub\\c.py", content: "# %%\nc = 3" },
      { name: ".ipynb_checkpoints/a.ipynb", content: ipynb("no") },
      { name: "__MACOSX/._a.ipynb", content: "no" },
      { name: "data.csv", content: "no" },
    ]);
    const file = join(makeFolder({ "n.zip": zip }), "n.zip");
    const opened = await openPaths([file]);
    expect(await contents(opened.corpus)).toEqual([
      ["a.ipynb", ["a = 1"]],
      ["sub/é.ipynb", ["b = 2"]],
      ["sub/c.py", ["c = 3"]],
    ]);
    expect(await opened.count()).toBe(3);
    expect((await collect(opened.corpus))[0]).toMatchObject({ source: file, facts: {}, named: false });
  });

  it("cannot write outside, hide a large file or fill the memory", async () => {
    const zip = makeZip([
      { name: "../evil.ipynb", content: ipynb("a") },
      { name: "/etc/evil.ipynb", content: ipynb("a") },
      { name: "C:\\evil.ipynb", content: ipynb("a") },
      { name: "secret.ipynb", content: ipynb("a"), encrypted: true },
      { name: "large.ipynb", content: Buffer.alloc(3 * 2 ** 20, 32) },
      { name: "liar.ipynb", content: Buffer.alloc(2 ** 20, 32), claimed: 10 },
      { name: "odd.ipynb", content: "x", method: 99 },
      { name: "other.ipynb", content: ipynb("other = 1"), method: 0, damaged: true },
      { name: "fine.ipynb", content: ipynb("fine = 1") },
    ]);
    const file = join(makeFolder({ "n.zip": zip }), "n.zip");
    expect(await contents(readZip("s", file, { ...ARCHIVE_LIMITS, file: 2 ** 20, ratio: 200_000 }))).toEqual([
      ["../evil.ipynb", "its path leads out of the archive"],
      ["/etc/evil.ipynb", "its path leads out of the archive"],
      ["C:/evil.ipynb", "its path leads out of the archive"],
      ["secret.ipynb", "it is encrypted"],
      ["large.ipynb", "3 MB, over the limit of 1 MB"],
      ["liar.ipynb", expect.stringMatching(/^it is damaged: /)],
      ["odd.ipynb", "it is compressed by an unsupported method (99)"],
      ["other.ipynb", "it is damaged: its checksum differs from the checksum in the archive's directory"],
      ["fine.ipynb", ["fine = 1"]],
    ]);
    const bomb = Array.from({ length: 9 }, (_, at) => ({ name: `${at}.ipynb`, content: Buffer.alloc(2 ** 20, 32) }));
    const bombFile = join(makeFolder({ "b.zip": makeZip(bomb) }), "b.zip");
    const found = await collect(readZip("s", bombFile, { ...ARCHIVE_LIMITS, file: 2 ** 20, ratio: 100 }));
    expect(found.at(-1)).toMatchObject({
      rejected: {
        kind: "too-large",
        reason: "the archive unpacks to more than 100 times its size; the rest is left out",
      },
      isContainer: true,
    });
    expect(found.length).toBeLessThan(6);
  });

  it("is reported if it is cut off", async () => {
    const zip = makeZip([{ name: "a.ipynb", content: ipynb("a = 1") }]);
    const file = join(makeFolder({ "n.zip": zip.subarray(0, zip.length - 9) }), "n.zip");
    expect(await collect(readZip("s", file))).toMatchObject([
      {
        path: ".",
        rejected: { kind: "unreadable", reason: expect.stringMatching(/^the archive is damaged/) },
        isContainer: true,
      },
    ]);
  });
});

describe("a tar archive", () => {
  it("is read from bzip2, and reported if it is damaged", async () => {
    expect(await contents(readTar("s", KGTORRENT_TAR))).toEqual([
      ["KGTorrent/ann_my-kernel.ipynb", ["a = 1"]],
      ["KGTorrent/carl_house-prices.ipynb", ["b = 2", "b"]],
    ]);
    const whole = readFileSync(KGTORRENT_TAR);
    const folder = makeFolder({
      "noise.tbz2": "no bzip2 at all",
      "half.tar.bz2": whole.subarray(0, whole.length - 60),
    });
    for (const name of ["noise.tbz2", "half.tar.bz2"]) {
      const found = await collect(readTar("s", join(folder, name)));
      expect(found.at(-1)).toMatchObject({ path: ".", rejected: { kind: "unreadable" } });
    }
  });

  it.each(["n.tar", "n.tar.gz", "n.tgz"])("is read as a stream: %s", async (name) => {
    const tar = await makeTar([
      ["a.ipynb", ipynb("a = 1")],
      ["./sub/b.ipynb", ipynb("b = 2")],
      ["../evil.ipynb", ipynb("a")],
      ["data.csv", "no"],
      ["large.ipynb", Buffer.alloc(70_000, 32)],
      ["c.py", "# %%\nc = 3"],
    ]);
    const file = join(makeFolder({ [name]: name.endsWith(".tar") ? tar : gzipSync(tar) }), name);
    expect(await contents(readTar(file, file, { ...ARCHIVE_LIMITS, file: 60_000, ratio: 1_000 }))).toEqual([
      ["a.ipynb", ["a = 1"]],
      ["sub/b.ipynb", ["b = 2"]],
      ["../evil.ipynb", "its path leads out of the archive"],
      ["large.ipynb", "0 MB, over the limit of 0 MB"],
      ["c.py", ["c = 3"]],
    ]);
    expect((await collect((await openPaths([file])).corpus))[0]).toMatchObject({ source: file, path: "a.ipynb" });
  });

  it("does not follow links", async () => {
    const file = join(makeFolder({ "n.tar": await makeTar([["a.ipynb", ""]], "symlink") }), "n.tar");
    expect(await collect(readTar("s", file))).toEqual([]);
  });

  it("is reported if it is cut off, damaged or a bomb, after its readable entries", async () => {
    const tar = await makeTar([
      ["a.ipynb", ipynb("a = 1")],
      ...Array.from({ length: 60 }, (_, at) => [`${at}.ipynb`, ipynb(`x = ${Math.sin(at)}`)] as [string, string]),
    ]);
    const packed = gzipSync(tar);
    const folder = makeFolder({
      "cut.tgz": packed.subarray(0, packed.length - 200),
      "noise.tgz": Buffer.from("no gzip at all"),
      "bomb.tgz": gzipSync(
        await makeTar(Array.from({ length: 9 }, (_, at) => [`${at}.ipynb`, Buffer.alloc(2 ** 20, 32)])),
      ),
    });
    const cut = await collect(readTar("s", join(folder, "cut.tgz")));
    expect([cut[0]!.path, cut.at(-1)]).toMatchObject([
      "a.ipynb",
      { path: ".", rejected: { kind: "unreadable" }, isContainer: true },
    ]);
    expect(await collect(readTar("s", join(folder, "noise.tgz")))).toMatchObject([
      { rejected: { kind: "unreadable" } },
    ]);
    const bomb = await collect(
      readTar("s", join(folder, "bomb.tgz"), { ...ARCHIVE_LIMITS, file: 2 ** 20, ratio: 100 }),
    );
    expect(bomb.at(-1)).toMatchObject({ rejected: { kind: "too-large" }, isContainer: true });
  });
});

describe("an archive with too many files", () => {
  it("is read up to the maximum number of files", async () => {
    const names = ["a.ipynb", "b.csv", "c.ipynb", "d.ipynb"];
    const folder = makeFolder({
      "n.zip": makeZip(names.map((name) => ({ name, content: ipynb("a = 1") }))),
      "n.tar": await makeTar(names.map((name) => [name, ipynb("a = 1")])),
    });
    const reason = "the archive contains more than 2 files; the rest is left out";
    const limits = { ...ARCHIVE_LIMITS, entries: 2 };
    const [zip, tar] = [readZip("s", join(folder, "n.zip"), limits), readTar("s", join(folder, "n.tar"), limits)];
    expect(await contents(zip)).toEqual([
      ["a.ipynb", ["a = 1"]],
      ["c.ipynb", reason],
    ]);
    expect(await contents(tar)).toEqual([
      ["a.ipynb", ["a = 1"]],
      [".", reason],
    ]);
  });
});

describe("JSON lines", () => {
  it("contain one notebook each, with its facts", async () => {
    const lines = [
      JSON.stringify({ path: "a.ipynb", cells: ["a = 1", "b = 2"], licence: "MIT", votes: 3, url: "https://x.org/a" }),
      JSON.stringify({
        repo: "o/r",
        path: "b.ipynb",
        cells: [
          { type: "markdown", source: "# T" },
          { type: "code", source: ["c =", " 3"] },
        ],
      }),
      "",
      "{",
      JSON.stringify({ path: "c.ipynb" }),
      `{"path": "d.ipynb", "cells": ["${"x".repeat(5_000)}"]}`,
      JSON.stringify({ path: "e.ipynb", cells: [{ cell_type: "code", source: "e = 5" }] }),
    ].join("\n");
    for (const name of ["n.jsonl", "n.jsonl.gz"]) {
      const file = join(makeFolder({ [name]: name.endsWith("gz") ? gzipSync(lines) : lines }), name);
      const limits = { ...ARCHIVE_LIMITS, file: 4_000, ratio: 1_000 };
      expect(await contents(readJsonLinesCorpus("s", file, limits))).toEqual([
        ["a.ipynb", ["a = 1", "b = 2"]],
        ["o/r/b.ipynb", ["c = 3"]],
        ["line 4", expect.stringMatching(/^it is not a JSON object with a path and cells: Expected property name/)],
        ["line 5", "it is not a JSON object with a path and cells: its cells are missing"],
        ["line 6", "0 MB, over the limit of 0 MB"],
        ["e.ipynb", ["e = 5"]],
      ]);
      const [first] = await collect((await openPaths([file])).corpus);
      expect(first).toMatchObject({ source: file, facts: { licence: "MIT", votes: 3, location: "https://x.org/a" } });
    }
  });

  it("may start with a byte order mark, and report a bad line", async () => {
    const lines = ['\uFEFF{"path": "a.ipynb", "cells": ["a = 1"]}', '{"path": 5, "cells": []}', "7", "[1, 2]"];
    const file = join(makeFolder({ "n.jsonl": lines.join("\n") }), "n.jsonl");
    const wrong = "it is not a JSON object with a path and cells";
    expect(await contents(readJsonLinesCorpus("s", file))).toEqual([
      ["a.ipynb", ["a = 1"]],
      ["line 2", `${wrong}: its path is 5`],
      ["line 3", `${wrong}: it is 7`],
      ["line 4", `${wrong}: it is [1,2]`],
    ]);
  });

  it("are reported if they are cut off", async () => {
    const packed = gzipSync(
      Array.from({ length: 99 }, (_, at) =>
        JSON.stringify({ path: `${at}.ipynb`, cells: [`x = ${Math.sin(at)}`] }),
      ).join("\n"),
    );
    const file = join(makeFolder({ "n.jsonl.gz": packed.subarray(0, packed.length - 50) }), "n.jsonl.gz");
    const found = await collect(readJsonLinesCorpus("s", file));
    expect([found[0]!.path, found.at(-1)]).toMatchObject([
      "0.ipynb",
      { rejected: { kind: "unreadable" }, isContainer: true },
    ]);
  });
});

describe("any archive", () => {
  it("is recognised by its name, also in capitals", async () => {
    const tar = gzipSync(await makeTar([["a.ipynb", ipynb("a = 1")]]));
    const lines = gzipSync(`${JSON.stringify({ path: "b.ipynb", cells: ["b = 1"] })}\n`);
    const zip = makeZip([{ name: "c.ipynb", content: ipynb("c = 1") }]);
    const folder = makeFolder({ "A.TGZ": tar, "A2.TAR.GZ": tar, "B.JSONL.GZ": lines, "C.ZIP": zip });
    const names = ["A.TGZ", "A2.TAR.GZ", "B.JSONL.GZ", "C.ZIP"];
    expect(await contents((await openPaths(names.map((name) => join(folder, name)))).corpus)).toEqual([
      ["a.ipynb", ["a = 1"]],
      ["a.ipynb", ["a = 1"]],
      ["b.ipynb", ["b = 1"]],
      ["c.ipynb", ["c = 1"]],
    ]);
  });

  it("yields the first of several notebooks with one path, and reports the rest", async () => {
    const [one, two, three] = [ipynb("x = 1"), ipynb("x = 2"), ipynb("x = 3")];
    const lines = [1, 2, 3].map((at) => JSON.stringify({ path: "s/a.ipynb", cells: [`x = ${at}`] }));
    const folder = makeFolder({
      "a.zip": makeZip([
        { name: "s/a.ipynb", content: one },
        { name: "s\\a.ipynb", content: two },
        { name: "s/a.ipynb", content: three },
      ]),
      "a.tar": await makeTar([
        ["s/a.ipynb", one],
        ["./s/a.ipynb", two],
        ["s/a.ipynb", three],
      ]),
      "a.jsonl": lines.join("\n"),
    });
    const repeated = "an earlier entry has the same path; only the first is used";
    for (const name of ["a.zip", "a.tar", "a.jsonl"])
      expect(await contents((await openPaths([join(folder, name)])).corpus)).toEqual([
        ["s/a.ipynb", ["x = 1"]],
        ["s/a.ipynb", repeated],
        ["s/a.ipynb", repeated],
      ]);
  });
});

describe("a git repository", () => {
  it("is read at a commit, without its work tree", async () => {
    const folder = makeFolder({ "sub/a.ipynb": ipynb("old = 1"), "b.py": "# %%\nb = 2", "c.txt": "no" });
    const git = (...words: string[]) =>
      execFileSync("git", ["-C", folder, "-c", "user.name=t", "-c", "user.email=t@t.org", ...words], { stdio: "pipe" });
    git("init", "-q");
    git("add", ".");
    git("commit", "-qm", "one");
    const commit = git("rev-parse", "HEAD").toString().trim();
    writeFileSync(join(folder, "sub/a.ipynb"), ipynb("new = 1"));
    git("commit", "-qam", "two");
    rmSync(join(folder, "sub"), { recursive: true });
    const opened = await openPaths([folder], { commit: "HEAD~1" });
    expect(await contents(opened.corpus)).toEqual([
      ["b.py", ["b = 2"]],
      ["sub/a.ipynb", ["old = 1"]],
    ]);
    expect(await opened.count()).toBe(2);
    expect((await collect(opened.corpus))[0]).toMatchObject({ source: folder, facts: { revision: commit } });
    await expect(openPaths([folder], { commit: "nowhere" })).rejects.toMatchObject({ code: "INPUT_INVALID" });
    await expect(openPaths([makeFolder()], { commit: "HEAD" })).rejects.toThrow(/ in .*: fatal: not a git repository/);
  });

  it("is read below the named folder, and missing objects are reported", async () => {
    const folder = makeFolder({
      "top.ipynb": ipynb("t = 1"),
      "sub/a.ipynb": ipynb("a = 1"),
      "sub/b.ipynb": ipynb("b = 1"),
    });
    const git = (...words: string[]) =>
      execFileSync("git", ["-C", folder, "-c", "user.name=t", "-c", "user.email=t@t.org", ...words], { stdio: "pipe" });
    git("init", "-q");
    git("add", ".");
    git("commit", "-qm", "one");
    const sub = join(folder, "sub");
    const opened = await openPaths([sub], { commit: "HEAD" });
    const all = await collect(opened.corpus);
    expect(all).toMatchObject([
      { source: sub, path: "a.ipynb" },
      { source: sub, path: "b.ipynb" },
    ]);
    const lose = (name: string) => {
      const hash = git("rev-parse", name).toString().trim();
      rmSync(join(folder, ".git/objects", hash.slice(0, 2), hash.slice(2)), { force: true });
      return hash;
    };
    const hash = lose("HEAD:sub/a.ipynb");
    const lacking = `git cannot read it: the repository does not have the object ${hash}`;
    expect(await contents(opened.corpus)).toEqual([
      ["a.ipynb", lacking],
      ["b.ipynb", ["b = 1"]],
    ]);
    // The file is deleted between listing and reading.
    expect(await Promise.all(all.map(async (found) => "read" in found && (await found.read())))).toMatchObject([
      { rejected: { kind: "unreadable", reason: `git cannot read it: git has no ${hash}` } },
      { format: "ipynb" },
    ]);
    lose("HEAD^{tree}");
    expect(await collect(opened.corpus)).toMatchObject([
      {
        path: ".",
        rejected: { reason: expect.stringMatching(/^the commit cannot be listed: fatal: /) },
        isContainer: true,
      },
    ]);
    expect(await opened.count()).toBe(1);
  });
});

describe("facts from Kaggle", () => {
  it("come from the tables of Meta Kaggle, for the newest version of each kernel by default", async () => {
    const folder = makeFolder({
      "code/0000/000/11.ipynb": ipynb("old = 1"),
      "code/0000/000/12.ipynb": ipynb("new = 1"),
      "code/0000/001/13.ipynb": ipynb("other = 1"),
      "code/0000/001/99.ipynb": ipynb("unknown = 1"),
      "meta/KernelVersions.csv":
        'Id,ScriptId,VersionNumber,Title\n10,1,0,x\n11,1,1.0,Old\n12,1,2.0,"New, ""best""\ntitle"\n13,2,1.0,Other\n14,1,3,"not there"\n',
      "meta/Kernels.csv": "Id,AuthorUserId,CurrentUrlSlug,TotalVotes\r\n1,7,my-kernel,42\r\n2,8,other,0\r\n3,9,x,1\r\n",
      "meta/Users.csv": "Id,UserName\n7,ann\n",
    });
    const opened = await openPaths([join(folder, "code")]);
    const counts: number[] = [];
    const onCount = (entries: number) => void counts.push(entries);
    const join_ = (allVersions: boolean) =>
      collect(joinMetaKaggle(() => opened.corpus, { folder: join(folder, "meta"), allVersions, onCount }));
    expect((await join_(true)).map(({ path }) => path)).toEqual([
      "0000/000/11.ipynb",
      "0000/000/12.ipynb",
      "0000/001/13.ipynb",
      "0000/001/99.ipynb",
    ]);
    const found = await join_(false);
    expect(counts).toEqual([4, found.length]);
    expect(found.map((each) => [each.path, "facts" in each && each.facts])).toEqual([
      [
        "0000/000/12.ipynb",
        {
          location: join(folder, "code/0000/000/12.ipynb"),
          title: 'New, "best"\ntitle',
          revision: "2",
          votes: 42,
          author: "ann",
          url: "https://www.kaggle.com/code/ann/my-kernel",
        },
      ],
      [
        "0000/001/13.ipynb",
        { location: join(folder, "code/0000/001/13.ipynb"), title: "Other", revision: "1", votes: 0, author: "8" },
      ],
      ["0000/001/99.ipynb", { location: join(folder, "code/0000/001/99.ipynb") }],
    ]);
    await expect(collect(joinMetaKaggle(() => opened.corpus, { folder, allVersions: true }))).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });

  it("are rejected if the tables have other columns", async () => {
    const ask = async (versions: string) => {
      const folder = makeFolder({
        "code/11.ipynb": ipynb("a = 1"),
        "meta/KernelVersions.csv": versions,
        "meta/Kernels.csv": "Id\n1\n",
      });
      const { corpus } = await openPaths([join(folder, "code")]);
      return collect(joinMetaKaggle(() => corpus, { folder: join(folder, "meta"), allVersions: false }));
    };
    await expect(ask("Id,Foo\n11,2\n")).rejects.toThrow(/has no column ScriptId; its columns are Id, Foo\./);
    await expect(ask("Id,ScriptId\n12,2\n")).rejects.toThrow(
      /^None of the 1 files is in the table KernelVersions of .*meta; is it the table of this corpus\?$/,
    );
  });

  it.each(["CSV files", "a MySQL dump", "an unpacked MySQL dump"])(
    "of KGTorrent's archive is joined by user and name with %s",
    async (form) => {
      const folder = makeFolder({
        "KernelVersions.csv": "Id,ScriptId,Title\n11,1,Old\n12,1,\"It's (the) 'best', NULL\n\"\n13,2,\n",
        "Kernels.csv":
          "Id,AuthorUserId,CurrentKernelVersionId,CurrentUrlSlug,TotalVotes\n1,7,12.0,my-kernel,42\n2,8,13,other,0\n",
        "Users.csv": "Id,UserName\n7,Ann\n8,bob\n",
      });
      const dump = join(folder, "dump.sql");
      if (form === "an unpacked MySQL dump")
        await pipeline(createReadStream(KGTORRENT_DUMP), unbzip2(), createWriteStream(dump));
      const tables = { "CSV files": folder, "a MySQL dump": KGTORRENT_DUMP }[form] ?? dump;
      const counts: number[][] = [];
      const onJoined = (joined: number, notebooks: number) => void counts.push([joined, notebooks]);
      const { corpus } = await openPaths([KGTORRENT_TAR]);
      const found = await collect(nameKgtorrent(corpus, { tables, onJoined }));
      expect(found.map((each) => [each.path, "facts" in each && each.facts])).toEqual([
        [
          "KGTorrent/ann_my-kernel.ipynb",
          {
            author: "ann",
            url: "https://www.kaggle.com/code/ann/my-kernel",
            title: "It's (the) 'best', NULL\n",
            votes: 42,
          },
        ],
        ["KGTorrent/carl_house-prices.ipynb", { author: "carl", url: "https://www.kaggle.com/code/carl/house-prices" }],
      ]);
      expect(counts).toEqual([[1, 2]]);
    },
  );

  it("are rejected if the tables contain none of the notebooks", async () => {
    const folder = makeFolder({
      "meta/Kernels.csv": "AuthorUserId,CurrentUrlSlug\n7,elsewhere\n",
      "meta/Users.csv": "Id,UserName\n7,ann\n",
      "meta/KernelVersions.csv": "Id,ScriptId\n1,1\n",
      "text.txt": "",
    });
    const { corpus } = await openPaths([KGTORRENT_TAR]);
    const join_ = (tables: string) => collect(nameKgtorrent(corpus, { tables }));
    const meta = join(folder, "meta");
    await expect(join_(meta)).rejects.toThrow(
      `The table Kernels of ${meta} has no kernel with the author and name of any of the first 2 notebooks; does it belong to this corpus?`,
    );
    await expect(join_(join(folder, "none"))).rejects.toThrow(/^There is no folder or dump .*none/);
    await expect(join_(join(folder, "text.txt"))).rejects.toThrow(/neither a folder of CSV files nor a MySQL dump/);
    await expect(collect(joinMetaKaggle(() => corpus, { folder: meta, allVersions: false }))).rejects.toThrow(
      /^None of the 2 files is named after a kernel version.*add --kgtorrent\.$/,
    );
  });

  it("comes from kernel-metadata.json and from the names of KGTorrent", async () => {
    const folder = makeFolder({
      "k/kernel-metadata.json": JSON.stringify({ id: "bob/titanic", title: "Titanic", code_file: "t.ipynb" }),
      "k/t.ipynb": ipynb("a"),
      "k/u.ipynb": ipynb("a"),
      "t/carl_house-prices.ipynb": ipynb("a"),
    });
    const found = await collect(nameKgtorrent((await openPaths([folder])).corpus));
    expect(found.map((each) => "facts" in each && { ...each.facts, location: undefined })).toEqual([
      { title: "Titanic", author: "bob", url: "https://www.kaggle.com/code/bob/titanic" },
      {},
      { author: "carl", url: "https://www.kaggle.com/code/carl/house-prices" },
    ]);
    const [alone] = await collect((await openPaths([join(folder, "k/t.ipynb")])).corpus);
    expect(alone).toMatchObject({ facts: "facts" in found[0]! && found[0].facts });
  });
});

describe("other files", () => {
  it("count as Elyra snippets in Elyra's folder, with their title", async () => {
    const snippet = (language: string) =>
      JSON.stringify({
        display_name: "Read",
        schema_name: "code-snippet",
        metadata: { language, code: ["a = 1", "b"] },
      });
    const folder = makeFolder({
      "metadata/code-snippets/read.json": snippet("Python"),
      "metadata/code-snippets/r.json": snippet("R"),
      "metadata/other.json": snippet("Python"),
    });
    for (const root of [folder, join(folder, "metadata/code-snippets")])
      expect((await contents((await openPaths([root])).corpus)).map(([, content]) => content)).toEqual([
        "a snippet in R, not Python",
        ["a = 1\nb"],
      ]);
    const read = readContent({ format: "snippet", bytes: readFileSync(join(folder, "metadata/other.json")) });
    expect(read).toMatchObject({ facts: { title: "Read" } });
  });

  it("are described by their kind", async () => {
    const folder = makeFolder({ "a.csv": "1,2", "b.rar": "x", "c.md": "# x", "d.R": "x" });
    const paths = ["a.csv", "b.rar", "c.md", "d.R"].map((name) => join(folder, name));
    expect(await contents((await openPaths(paths)).corpus)).toEqual([
      ["a.csv", "a table, not a notebook"],
      ["b.rar", "a compressed file of an unsupported kind, not a notebook"],
      ["c.md", "a document, not a notebook"],
      ["d.R", "a script in another language or format, not a notebook"],
    ]);
  });
});
