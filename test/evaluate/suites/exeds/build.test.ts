import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Kernels, openKernels } from "../../../../src/evaluate/execute/kernels.js";
import { buildProblems } from "../../../../src/evaluate/suites/exeds/exeds-build.js";
import { toProblem } from "../../../../src/evaluate/suites/exeds/exeds-problems.js";
import { readProblems } from "../../../../src/evaluate/suites/exeds/exeds-released.js";
import type { NamedNotebook } from "../../../../src/notebook/notebook.js";
import { hasKernels, python } from "../../execute/python.js";

const folder = mkdtempSync(join(tmpdir(), "celrec-build-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Markdown if a line starts with `#!`, else code. */
const notebook = (name: string, ...cells: string[]): NamedNotebook => ({
  name,
  notebook: {
    cells: cells.map((source, index) => ({
      index,
      type: source.startsWith("#!") ? ("markdown" as const) : ("code" as const),
      source: source.replace("#!", ""),
    })),
  } as NamedNotebook["notebook"],
  facts: { location: join(folder, name) },
});

describe.skipIf(!hasKernels)("buildProblems", () => {
  let kernels: Kernels;
  beforeAll(async () => {
    writeFileSync(join(folder, "sales.csv"), "price,units\n2,3\n5,1\n");
    writeFileSync(join(folder, "other.csv"), "x\n1\n");
    kernels = await openKernels({ python, jobs: 1, note: () => {} });
  });
  afterAll(() => kernels.close());

  it("asks about cells with Markdown above that print the same each time, with the data that they read", async () => {
    const notes: string[] = [];
    const built = await buildProblems(
      [
        notebook(
          "a.ipynb",
          "import pandas as pd",
          "a = 1",
          "b = 2",
          "#!Read the data.",
          "df = pd.read_csv('sales.csv')",
          "#!## How many units?",
          "#!In all of them.",
          "df['units'].sum()",
          "df['price'].max()",
          "#!Fails.",
          "df['nowhere']",
          "#!Never reached.",
          "print('late')",
        ),
        notebook("b.ipynb", "import time", "#!What time is it?", "print(time.perf_counter_ns())"),
        notebook("c.ipynb", "#!The first cell has nothing above it.", "print(1)"),
      ],
      kernels,
      { seconds: 30, note: (text) => notes.push(text) },
    );
    expect(built).toEqual([
      {
        id: "a.ipynb#7",
        notebook: "a.ipynb",
        setup: ["import pandas as pd", "a = 1", "b = 2"],
        // There are three cells above, and two of them are the intent.
        context: ["df = pd.read_csv('sales.csv')"],
        columns: "df.columns=['price', 'units']",
        intent: "## How many units?\n\nIn all of them.",
        reference: "df['units'].sum()",
        output: expect.stringContaining("4"),
        files: { "sales.csv": "price,units\n2,3\n5,1\n" },
      },
    ]);
    expect(notes).toEqual([
      "b.ipynb#2 was skipped: a second run gave a different output.",
      "b.ipynb has no usable problem.",
      "c.ipynb has no usable problem.",
    ]);
    const file = join(folder, "built.jsonl");
    writeFileSync(file, built.map((each) => `${JSON.stringify(each)}\n`).join(""));
    expect(await readProblems(file, { note: () => {} })).toEqual(built.map((line) => toProblem(line, "")));
  });

  it("gives notebooks the files of a folder, and reports why one stops", async () => {
    const notes: string[] = [];
    const asked = notebook("d.ipynb", "import csv", "#!Rows?", "print(len(open('gone.csv').readlines()))");
    const build = (files?: string) =>
      buildProblems([asked], kernels, { seconds: 30, files, note: (text) => notes.push(text) });
    expect(await build()).toEqual([]);
    expect(notes).toEqual([
      "d.ipynb has no usable problem: it stops with FileNotFoundError: [Errno 2] No such file or directory: 'gone.csv'.",
    ]);
    const data = mkdtempSync(join(folder, "data-"));
    writeFileSync(join(data, "gone.csv"), "a\nb\nc\n");
    const [problem] = await build(data);
    expect(problem).toMatchObject({ output: "3\n", files: { "gone.csv": { base64: "YQpiCmMK" } } });
  });
});
