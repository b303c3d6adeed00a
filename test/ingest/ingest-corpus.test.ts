import { execFileSync } from "node:child_process";
import { mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RecommenderError } from "../../src/errors.js";
import { type CorpusOptions, ingestCorpus } from "../../src/ingest/ingest-corpus.js";
import type { MakeNewCells } from "../../src/ingest/make-cells.js";
import type { CorpusStep } from "../../src/ingest/report.js";
import { createInlineWorkers, type Workers } from "../../src/ingest/workers.js";
import type { CorpusItem } from "../../src/notebook/corpus/entry.js";
import { openPaths } from "../../src/notebook/corpus/open-paths.js";
import { notebookId } from "../../src/notebook/extract.js";
import type { VectorStore } from "../../src/store/vector-store.js";
import { embedder, labeller, useStores } from "./fixtures.js";

const { newFolder, newStore } = useStores();
const inline = createInlineWorkers({ embedder, labeller });

function writeNotebook(folder: string, name: string, ...sources: string[]): void {
  const cells = sources.map((source) => ({ cell_type: "code", source }));
  writeFileSync(join(folder, name), JSON.stringify({ nbformat: 4, cells }));
}

function writeMany(folder: string, count: number): void {
  for (let at = 0; at < count; at += 1) writeNotebook(folder, `${String(at).padStart(3, "0")}.ipynb`, `x = ${at}`);
}

const open = () => ({ folder: realpathSync(newFolder()), store: newStore() });

async function run(
  store: VectorStore,
  paths: readonly string[],
  { workers = inline, ...options }: CorpusOptions & { workers?: Workers } = {},
): Promise<CorpusStep[]> {
  const steps: CorpusStep[] = [];
  const { corpus } = await openPaths(paths);
  for await (const step of ingestCorpus(corpus, { store, workers }, options)) steps.push(step);
  return steps;
}

const totals = async (store: VectorStore) => {
  const { cells, notebooks, occurrences } = await store.counts();
  return { cells, notebooks, occurrences };
};

describe("ingestCorpus", () => {
  it("stores the notebooks, names the files it rejects with the reason, and passes over scripts without cells", async () => {
    const { folder, store } = open();
    writeNotebook(folder, "a.ipynb", "a = 1", "b = 2", "# nothing", "", " ", "___");
    writeFileSync(join(folder, "b.ipynb"), "");
    writeFileSync(join(folder, "c.ipynb"), '{"cells": [], "metadata": {"kernelspec": {"language": "R"}}}');
    writeFileSync(join(folder, "d.py"), "# %%\nc = 3\n");
    writeFileSync(join(folder, "module.py"), "c = 3\n");
    const [step, ...more] = await run(store, [folder]);
    expect(more).toEqual([]);
    const common = { source: folder, duplicate: 0, replaced: false, unchanged: false };
    expect(step).toEqual({
      files: 5,
      reports: [
        {
          ...common,
          id: notebookId("a.ipynb", folder),
          name: "a.ipynb",
          cells: 2,
          new: 2,
          skipped: 4,
          skips: { empty: 2, "comments only": 1, "no tokens": 1 },
        },
        { ...common, id: notebookId("d.py", folder), name: "d.py", cells: 1, new: 1, skipped: 0, skips: {} },
      ],
      rejected: [
        { source: folder, name: "b.ipynb", kind: "not-json", reason: "the file is empty", isContainer: false },
        {
          source: folder,
          name: "c.ipynb",
          kind: "not-python",
          reason: "a notebook in R, not Python",
          isContainer: false,
        },
      ],
      passedOver: [notebookId("module.py", folder)],
    });
    expect(await totals(store)).toEqual({ cells: 3, notebooks: 2, occurrences: 3 });
  });

  it("separates notebooks with the same name in two folders, and gives the location of each", async () => {
    const { folder, store } = open();
    for (const name of ["pA", "pB"]) {
      mkdirSync(join(folder, name));
      writeNotebook(join(folder, name), "analysis.ipynb", `print("${name}")`);
      await run(store, [join(folder, name)]);
    }
    expect(await totals(store)).toEqual({ cells: 2, notebooks: 2, occurrences: 2 });
    for (const name of ["pA", "pB"]) {
      const source = join(folder, name);
      expect(await store.notebook(notebookId("analysis.ipynb", source))).toMatchObject({
        source,
        name: "analysis.ipynb",
        facts: { location: join(source, "analysis.ipynb") },
      });
    }
  });

  it("writes batches of notebooks, limited in cells and in code", async () => {
    const { folder, store } = open();
    writeMany(folder, 5);
    writeNotebook(folder, "5.ipynb", "a = 1", "a = 2", "a = 3");
    writeNotebook(folder, "6.ipynb", `a = "${"x".repeat(200)}"`);
    writeNotebook(folder, "7.ipynb", "a = 1");
    const steps = await run(store, [folder], { batch: { notebooks: 3, cells: 3, code: 200 } });
    expect(steps.map(({ reports }) => reports.map(({ name }) => name))).toEqual([
      ["000.ipynb", "001.ipynb", "002.ipynb"],
      ["003.ipynb", "004.ipynb"],
      ["5.ipynb"],
      ["6.ipynb"],
      ["7.ipynb"],
    ]);
  });

  it("makes a cell once if several running batches contain it", async () => {
    const { folder, store } = open();
    for (const name of ["a.ipynb", "b.ipynb", "c.ipynb"]) writeNotebook(folder, name, "same = 1", `own = "${name}"`);
    const made: string[] = [];
    const make: MakeNewCells = (cells, signal) => {
      made.push(...cells.map(({ code }) => code));
      return inline.make(cells, signal);
    };
    const steps = await run(store, [folder], {
      workers: { ...inline, make },
      batch: { notebooks: 1, cells: 9, code: 999 },
    });
    expect(made.filter((code) => code === "same = 1")).toEqual(["same = 1"]);
    expect(steps.map(({ reports }) => [reports[0]!.new, reports[0]!.duplicate])).toEqual([
      [2, 0],
      [1, 1],
      [1, 1],
    ]);
    expect(await totals(store)).toEqual({ cells: 4, notebooks: 3, occurrences: 6 });
  });

  it("rejects a notebook with a cell that is too large, and every other notebook with that cell", async () => {
    const { folder, store } = open();
    writeNotebook(folder, "a.ipynb", "fine = 1");
    writeNotebook(folder, "b.ipynb", "poison = 1", "b = 1");
    writeNotebook(folder, "c.ipynb", "c = 1", "poison = 1");
    const make: MakeNewCells = async (cells, signal) => {
      if (cells.some(({ code }) => code.startsWith("poison")))
        throw new RecommenderError("TOO_LARGE", "it needs more than 10 MB of memory");
      return inline.make(cells, signal);
    };
    const [step] = await run(store, [folder], { workers: { ...inline, make } });
    expect(step!.reports.map(({ name }) => name)).toEqual(["a.ipynb"]);
    expect(step!.rejected.map(({ name, reason }) => [name, reason])).toEqual([
      ["b.ipynb", "it needs more than 10 MB of memory"],
      ["c.ipynb", "it needs more than 10 MB of memory"],
    ]);
    expect(await totals(store)).toEqual({ cells: 1, notebooks: 1, occurrences: 1 });
  });

  it("ends with the error of a missing embedder, instead of rejecting every notebook", async () => {
    const { folder, store } = open();
    writeMany(folder, 2);
    const make: MakeNewCells = async () => {
      throw new RecommenderError("MODEL_UNAVAILABLE", "no model");
    };
    await expect(run(store, [folder], { workers: { ...inline, make } })).rejects.toThrow("no model");
    expect(await totals(store)).toEqual({ cells: 0, notebooks: 0, occurrences: 0 });
  });

  it("stops between two batches, and the same call resumes", async () => {
    const { folder, store } = open();
    writeMany(folder, 25);
    const stop = new AbortController();
    const limits = { batch: { notebooks: 10, cells: 1_000, code: 1_000 } };
    const { corpus } = await openPaths([folder]);
    const files: number[] = [];
    for await (const step of ingestCorpus(corpus, { store, workers: inline }, { ...limits, signal: stop.signal })) {
      files.push(step.files);
      stop.abort();
    }
    expect(files).toEqual([10]);
    expect(await totals(store)).toEqual({ cells: 10, notebooks: 10, occurrences: 10 });

    const resumed = await run(store, [folder], limits);
    expect(resumed.map(({ reports }) => reports.filter(({ unchanged }) => unchanged).length)).toEqual([10, 0, 0]);
    expect(await totals(store)).toEqual({ cells: 25, notebooks: 25, occurrences: 25 });
  });

  it("does nothing if the signal is already aborted", async () => {
    const { folder, store } = open();
    writeMany(folder, 1);
    expect(await run(store, [folder], { signal: AbortSignal.abort() })).toEqual([]);
    expect(await totals(store)).toEqual({ cells: 0, notebooks: 0, occurrences: 0 });
  });

  it("rejects a file that was deleted after it was listed, and a named pipe without a writer", async () => {
    const { folder, store } = open();
    writeMany(folder, 2);
    const { corpus } = await openPaths([folder]);
    const entries: CorpusItem[] = [];
    for await (const found of corpus) entries.push(found);
    rmSync(join(folder, "000.ipynb"));
    rmSync(join(folder, "001.ipynb"));
    execFileSync("mkfifo", [join(folder, "001.ipynb")]);
    const rejected: string[] = [];
    const listed = async function* () {
      yield* entries;
    };
    for await (const step of ingestCorpus(listed(), { store, workers: inline }))
      rejected.push(...step.rejected.map(({ reason }) => reason));
    expect(rejected).toEqual([expect.stringMatching(/^cannot be read: ENOENT/), "a named pipe, not a file"]);
  });

  it("keeps the last of several versions of a notebook if batches are written at once", async () => {
    const { folder, store } = open();
    for (const [version, name] of [
      ["1", "x.ipynb"],
      ["2", "x.ipynb"],
      ["3", "y.ipynb"],
    ] as const) {
      mkdirSync(join(folder, version));
      writeNotebook(join(folder, version), name, `version = ${version}`);
    }
    async function* corpus(): AsyncGenerator<CorpusItem> {
      for (const version of ["1", "2", "3"])
        for await (const item of (await openPaths([join(folder, version)])).corpus) yield { ...item, source: "s" };
    }
    const order: string[] = [];
    let startOther = () => {};
    const otherStarted = new Promise<void>((resolve) => {
      startOther = resolve;
    });
    const slow: VectorStore = {
      ...store,
      writesAtOnce: 3,
      async write(notebooks, ...rest) {
        const { name } = notebooks[0]!;
        order.push(name);
        if (name === "y.ipynb") startOther();
        // The first write ends after the last has started.
        if (order.length === 1) await otherStarted;
        return store.write(notebooks, ...rest);
      },
    };
    const batch = { notebooks: 1, cells: 9, code: 999 };
    for await (const _ of ingestCorpus(corpus(), { store: slow, workers: inline }, { batch }));
    expect(order).toEqual(["x.ipynb", "y.ipynb", "x.ipynb"]);
    const [cell] = (await store.notebook(notebookId("x.ipynb", "s")))!.cells;
    expect((await store.cells([cell!.id]))[0]!.code).toBe("version = 2");
  });

  it("ends in the same state with any number of concurrent runs", async () => {
    const { folder, store } = open();
    for (let at = 0; at < 40; at += 1)
      writeNotebook(folder, `${at}.ipynb`, `shared = ${at % 7}`, `own = ${at}`, "import os");
    const limits = { batch: { notebooks: 4, cells: 10, code: 1_000 } };
    await Promise.all([run(store, [folder], limits), run(store, [folder], limits), run(store, [folder], limits)]);
    expect(await totals(store)).toEqual({ cells: 40 + 7 + 1, notebooks: 40, occurrences: 120 });
    for (let at = 0; at < 40; at += 1)
      expect((await store.notebook(notebookId(`${at}.ipynb`, folder)))?.cells.length).toBe(3);
  });
});
