import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createIngest } from "../../src/ingest/ingest.js";
import { type FileProgress, ingestFiles } from "../../src/ingest/ingest-files.js";
import { listNotebooks } from "../../src/notebook/files.js";
import { embedder, labeller, useStores } from "./fixtures.js";

const { newFolder, newStore } = useStores();

function writeNotebook(folder: string, name: string, ...sources: string[]): void {
  const cells = sources.map((source) => ({ cell_type: "code", source }));
  writeFileSync(join(folder, name), JSON.stringify({ nbformat: 4, cells }));
}

/** 250 notebooks of one cell each: three batches of at most a hundred. */
function writeMany(folder: string): void {
  for (let at = 0; at < 250; at += 1) writeNotebook(folder, `${String(at).padStart(3, "0")}.ipynb`, `x = ${at}`);
}

async function collect(progress: AsyncGenerator<FileProgress>): Promise<FileProgress[]> {
  const all: FileProgress[] = [];
  for await (const step of progress) all.push(step);
  return all;
}

function open() {
  const folder = newFolder();
  const store = newStore();
  return { folder, store, ingest: createIngest({ embedder, labeller, store }) };
}

describe("ingestFiles", () => {
  it("stores the notebooks, and names the files it rejects with the reason", async () => {
    const { folder, store, ingest } = open();
    writeNotebook(folder, "a.ipynb", "a = 1", "b = 2");
    writeFileSync(join(folder, "b.ipynb"), "");
    writeFileSync(join(folder, "c.ipynb"), '{"cells": [], "metadata": {"kernelspec": {"language": "R"}}}');
    writeFileSync(join(folder, "d.py"), "# %%\nc = 3\n");
    const [step, ...more] = await collect(ingestFiles(listNotebooks([folder]), ingest));
    expect(more).toEqual([]);
    expect(step).toMatchObject({
      done: 4,
      total: 4,
      reports: [
        { name: "a.ipynb", cells: 2, new: 2 },
        { name: "d.py", cells: 1, new: 1 },
      ],
      rejected: [
        { name: "b.ipynb", kind: "not-json", reason: "the file is empty" },
        { name: "c.ipynb", kind: "not-python", reason: "a notebook in R, not Python" },
      ],
    });
    expect((await store.counts()).notebooks).toBe(2);
  });

  it("tells about rejected files even where nothing is left", async () => {
    const { folder, ingest } = open();
    writeFileSync(join(folder, "a.ipynb"), "[]");
    expect(await collect(ingestFiles(listNotebooks([folder]), ingest))).toMatchObject([
      { done: 1, total: 1, reports: [], rejected: [{ name: "a.ipynb", kind: "not-a-notebook" }] },
    ]);
  });

  it("says nothing about no files", async () => {
    expect(await collect(ingestFiles([], open().ingest))).toEqual([]);
  });

  it("goes a hundred notebooks at a time", async () => {
    const { folder, ingest } = open();
    writeMany(folder);
    const steps = await collect(ingestFiles(listNotebooks([folder]), ingest));
    expect(steps.map(({ done, total, reports }) => [done, total, reports.length])).toEqual([
      [100, 250, 100],
      [200, 250, 100],
      [250, 250, 50],
    ]);
  });

  it("ends a batch at a thousand cells", async () => {
    const { folder, ingest } = open();
    const cells = Array.from({ length: 600 }, () => "a = 1");
    for (const name of ["a.ipynb", "b.ipynb", "c.ipynb"]) writeNotebook(folder, name, ...cells);
    const steps = await collect(ingestFiles(listNotebooks([folder]), ingest));
    expect(steps.map(({ done }) => done)).toEqual([2, 3]);
  });

  it("stops between two batches, and the same call resumes", async () => {
    const { folder, store, ingest } = open();
    writeMany(folder);
    const files = listNotebooks([folder]);
    const stop = new AbortController();
    const steps: number[] = [];
    for await (const { done } of ingestFiles(files, ingest, stop.signal)) {
      steps.push(done);
      stop.abort();
    }
    expect(steps).toEqual([100]);
    expect((await store.counts()).notebooks).toBe(100);

    const resumed = await collect(ingestFiles(files, ingest));
    expect(resumed.map(({ reports }) => reports.filter(({ unchanged }) => unchanged).length)).toEqual([100, 0, 0]);
    expect(await store.counts()).toMatchObject({ notebooks: 250, cells: 250, occurrences: 250 });
  });

  it("does nothing where it was stopped before it began", async () => {
    const { folder, store, ingest } = open();
    writeNotebook(folder, "a.ipynb", "a = 1");
    expect(await collect(ingestFiles(listNotebooks([folder]), ingest, AbortSignal.abort()))).toEqual([]);
    expect((await store.counts()).notebooks).toBe(0);
  });

  it("rejects a file that went away after it was listed", async () => {
    const { folder, ingest } = open();
    const gone = { path: join(folder, "gone.ipynb"), name: "gone.ipynb" };
    const [step] = await collect(ingestFiles([gone], ingest));
    expect(step?.rejected).toMatchObject([
      { name: "gone.ipynb", reason: expect.stringMatching(/^cannot be read: ENOENT/) },
    ]);
  });
});
