import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { describe, expect, it, onTestFinished } from "vitest";
import { NO_LEDGER, openLedger, type Remembered } from "../../src/ingest/ledger.js";
import { useStores } from "./fixtures.js";

const { newFolder } = useStores();
const open = (folder: string) => {
  const ledger = openLedger(folder);
  onTestFinished(() => ledger.close());
  return ledger;
};
const remembered = (stamp: string): Remembered => ({ stamp, version: `v-${stamp}`, cells: 3, skipped: 1, facts: "f" });

describe("the ledger", () => {
  it("returns the stored entries for the given ids, also in another process", () => {
    const folder = join(newFolder(), "not", "there", "yet");
    const first = open(folder);
    first.note(
      new Map([
        ["a", remembered("1")],
        ["b", remembered("2")],
      ]),
    );
    first.note(new Map([["b", remembered("3")]]));
    const expected = new Map([["b", remembered("3")]]);
    expect(first.recall(["b", "c"])).toEqual(expected);
    expect(open(folder).recall(["c", "b"])).toEqual(expected);
    expect(first.recall([])).toEqual(new Map());
  });

  it("keeps the last run over each source, by name", () => {
    const ledger = open(newFolder());
    const sync = (source: string, at: string) => ({ source, at, files: 7, rejected: 2 });
    ledger.noteSync(sync("b", "2026-01-01"));
    ledger.noteSync(sync("a", "2026-01-02"));
    ledger.noteSync(sync("b", "2026-01-03"));
    expect(ledger.syncs()).toEqual([sync("a", "2026-01-02"), sync("b", "2026-01-03")]);
  });

  it("is recreated if it is damaged", () => {
    const folder = newFolder();
    writeFileSync(join(folder, "ledger.db"), "no database ".repeat(1_000));
    writeFileSync(join(folder, "ledger.db-wal"), "no log ".repeat(1_000));
    const ledger = open(folder);
    ledger.note(new Map([["a", remembered("1")]]));
    expect(open(folder).recall(["a"]).get("a")).toEqual(remembered("1"));
  });

  it("is ignored without an error if it cannot be opened", () => {
    const folder = newFolder();
    mkdirSync(join(folder, "ledger.db"));
    const ledger = openLedger(folder);
    expect(ledger).toBe(NO_LEDGER);
    ledger.note(new Map([["a", remembered("1")]]));
    ledger.noteSync({ source: "a", at: "2026", files: 1, rejected: 0 });
    expect([ledger.recall(["a"]), ledger.syncs()]).toEqual([new Map(), []]);
    ledger.close();
    expect(existsSync(join(folder, "ledger.db-wal"))).toBe(false);
  });

  it("does not fail a run if the ledger cannot be written", () => {
    const folder = newFolder();
    const ledger = open(folder);
    const other = new Libsql(join(folder, "ledger.db"));
    onTestFinished(() => void other.close());
    other.exec("drop table entries; drop table syncs");
    ledger.note(new Map([["a", remembered("1")]]));
    ledger.noteSync({ source: "a", at: "2026", files: 1, rejected: 0 });
  });
});
