import { execFileSync } from "node:child_process";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readServiceNote, writeServiceNote } from "../../src/cli/service-note.js";
import { makeFolder } from "./celrec.js";

const url = "http://127.0.0.1:8787";

describe("the note of a service", () => {
  it("records which service serves a folder, readable by its owner only, until the service ends", () => {
    const folder = join(makeFolder(), "index");
    expect(readServiceNote(folder)).toBe(null);
    const remove = writeServiceNote(folder, { pid: process.pid, url });
    expect(readServiceNote(folder)).toEqual({ pid: process.pid, url });
    if (process.platform !== "win32") expect(statSync(join(folder, "service.json")).mode & 0o777).toBe(0o600);
    remove();
    expect(existsSync(join(folder, "service.json"))).toBe(false);
    remove();
  });

  it("of a dead process or of another program is ignored", () => {
    const folder = makeFolder();
    const dead = Number(execFileSync(process.execPath, ["-p", "process.pid"], { encoding: "utf8" }));
    writeServiceNote(folder, { pid: dead, url });
    expect(readServiceNote(folder)).toBe(null);
    for (const text of ["", "{", "{}", '{"pid": 0, "url": "x"}']) {
      writeFileSync(join(folder, "service.json"), text);
      expect(readServiceNote(folder)).toBe(null);
    }
  });

  it.each(["http://192.0.2.1:80", "https://127.0.0.1.example.org", "http://127.0.0.1@example.org", "file:///etc"])(
    "is ignored if its URL does not lead to this machine: %s",
    (elsewhere) => {
      const folder = makeFolder();
      writeServiceNote(folder, { pid: process.pid, url: elsewhere })();
      expect(existsSync(join(folder, "service.json"))).toBe(false);
      writeFileSync(join(folder, "service.json"), JSON.stringify({ pid: process.pid, url: elsewhere }));
      expect(readServiceNote(folder)).toBe(null);
    },
  );

  it.each(["http://[::1]:8787", "http://localhost:8787"])("may give the address of this machine as %s", (here) => {
    const folder = makeFolder();
    writeServiceNote(folder, { pid: process.pid, url: here });
    expect(readServiceNote(folder)?.url).toBe(here);
  });

  it("of a later service remains when an earlier one ends", () => {
    const folder = makeFolder();
    const remove = writeServiceNote(folder, { pid: process.pid + 1, url: "http://127.0.0.1:1" });
    writeServiceNote(folder, { pid: process.pid, url });
    remove();
    expect(readServiceNote(folder)).toEqual({ pid: process.pid, url });
  });
});
