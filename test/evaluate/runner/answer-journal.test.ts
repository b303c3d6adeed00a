import { appendFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openJournal } from "../../../src/evaluate/runner/answer-journal.js";

const newRoot = () => mkdtempSync(join(tmpdir(), "celrec-journal-"));

describe("the journal of a run", () => {
  it("starts empty, and keeps answers for the next run with the same key", () => {
    const root = newRoot();
    const journal = openJournal<{ query: string }>(root, "k");
    expect(journal.entries).toEqual([]);
    journal.add({ query: "a" });
    journal.add({ query: "b\n#" });
    expect(openJournal(root, "k").entries).toEqual([{ query: "a" }, { query: "b\n#" }]);
    expect(openJournal(root, "other").entries).toEqual([]);
  });

  it("drops the last line that a killed process left incomplete, and appends after it", () => {
    const root = newRoot();
    const journal = openJournal<{ query: string }>(root, "k");
    journal.add({ query: "é" });
    appendFileSync(join(journal.folder, "answers.jsonl"), '{"query": "hal');
    const again = openJournal<{ query: string }>(root, "k");
    expect(again.entries).toEqual([{ query: "é" }]);
    again.add({ query: "c" });
    expect(openJournal(root, "k").entries).toEqual([{ query: "é" }, { query: "c" }]);
  });

  it("leaves out failed answers, which are asked again", () => {
    const root = newRoot();
    const journal = openJournal<{ query: string; problems: object }>(root, "k");
    const good = { query: "a", problems: { short: 1, junk: 0 } };
    for (const entry of [good, { query: "b", problems: { junk: 1 } }, { query: "c", problems: { timeouts: 1 } }])
      journal.add(entry);
    expect(openJournal(root, "k").entries).toEqual([good]);
  });

  it("is open until it is finished", () => {
    const journal = openJournal(newRoot(), "k");
    expect(journal.isOpen()).toBe(true);
    journal.finish();
    expect(journal.isOpen()).toBe(false);
  });
});
