import { type ChildProcess, spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readContent } from "../../src/ingest/read-content.js";
import type { Entry } from "../../src/notebook/corpus/entry.js";
import { walkFolder } from "../../src/notebook/corpus/folder.js";
import { readListedFile, readRegularFile } from "../../src/notebook/file-system.js";

const LINKED = {
  rejected: { kind: "unreadable", reason: "the file or one of its folders is a symbolic link; links are not followed" },
};
const notebook = (source: string) =>
  JSON.stringify({
    cells: [{ cell_type: "code", source, metadata: {}, outputs: [] }],
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5,
  });

describe("a notebook that is replaced by a link", () => {
  let folder: string;
  let outside: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "celrec-links-")));
    outside = realpathSync(mkdtempSync(join(tmpdir(), "celrec-secret-")));
    mkdirSync(join(folder, "deep"));
    writeFileSync(join(folder, "deep/a.ipynb"), notebook("inside = 1"));
    writeFileSync(join(outside, "a.ipynb"), notebook("secret = 1"));
  });
  afterEach(() => {
    for (const path of [folder, outside]) rmSync(path, { recursive: true });
  });

  async function list(): Promise<Entry[]> {
    const found: Entry[] = [];
    for await (const each of walkFolder({ source: "s", folder })) if (!("rejected" in each)) found.push(each);
    return found;
  }

  const read = async (entry: Entry) => {
    const content = await entry.read();
    return "rejected" in content ? content : readContent(content);
  };

  it("is read while it is a file", async () => {
    const [entry] = await list();
    expect(await read(entry!)).toMatchObject({ code: { cells: [{ code: "inside = 1" }] } });
  });

  it("is not read", async () => {
    const [entry] = await list();
    unlinkSync(join(folder, "deep/a.ipynb"));
    symlinkSync(join(outside, "a.ipynb"), join(folder, "deep/a.ipynb"));
    expect(await read(entry!)).toEqual(LINKED);
  });

  it("is not read if its folder was replaced", async () => {
    const [entry] = await list();
    renameSync(join(folder, "deep"), join(folder, "other"));
    symlinkSync(outside, join(folder, "deep"));
    expect(await read(entry!)).toEqual(LINKED);
  });

  it("is read if the user names the link itself", () => {
    symlinkSync(join(outside, "a.ipynb"), join(folder, "named.ipynb"));
    expect(readRegularFile(join(folder, "named.ipynb"))).toEqual({ bytes: Buffer.from(notebook("secret = 1")) });
    expect(readListedFile(join(folder, "named.ipynb"))).toEqual(LINKED);
  });

  it("is never read from outside the folder while it is swapped repeatedly", async () => {
    const racer = race(join(folder, "deep"), outside);
    try {
      await new Promise((done) => racer.stdout!.once("data", done));
      const outcomes = new Set<string>();
      for (let tries = 0; tries < 20_000; tries += 1) {
        const content = readListedFile(join(folder, "deep/a.ipynb"));
        outcomes.add("bytes" in content ? content.bytes.toString() : content.rejected.kind);
      }
      expect([...outcomes].filter((outcome) => outcome.includes("secret"))).toEqual([]);
      expect(outcomes).toContain(notebook("inside = 1"));
      expect(outcomes).toContain("unreadable");
    } finally {
      racer.kill("SIGKILL");
    }
  });
});

/** Swaps a folder and a link to another one, as fast as it can. */
function race(folder: string, outside: string): ChildProcess {
  const code = `
    const { renameSync, symlinkSync, unlinkSync } = require("node:fs");
    const [folder, outside] = process.argv.slice(1);
    process.stdout.write("x");
    for (;;) {
      renameSync(folder, folder + ".kept");
      symlinkSync(outside, folder);
      unlinkSync(folder);
      renameSync(folder + ".kept", folder);
    }`;
  return spawn(process.execPath, ["-e", code, folder, outside], { stdio: ["ignore", "pipe", "ignore"] });
}
