import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readSeeds } from "../../../../src/evaluate/suites/celrec/seeds.js";

const folder = mkdtempSync(join(tmpdir(), "celrec-seeds-"));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

describe("readSeeds", () => {
  it("reads a folder of .py files, sorted, named by their path in it", async () => {
    write("tree/b/two.py", "\uFEFFtwo = 2\n");
    write("tree/a.py", "one = 1");
    write("tree/b/notes.md", "no seed");
    expect(await readSeeds(join(folder, "tree"))).toEqual({
      seeds: [
        { id: "a.py", source: "one = 1" },
        { id: "b/two.py", source: "two = 2\n" },
      ],
      problems: [],
    });
  });

  it("reports seeds that are empty, only comments or repeated", async () => {
    write("faulty/a.py", "x = 1\n");
    write("faulty/b.py", " \n");
    write("faulty/c.py", "# one\n\n  # two");
    write("faulty/d.py", "x = 1\r\n");
    const { seeds, problems } = await readSeeds(join(folder, "faulty"));
    expect(seeds.map(({ id }) => id)).toEqual(["a.py"]);
    expect(problems).toEqual([
      { id: "b.py", reason: "empty" },
      { id: "c.py", reason: "only comments" },
      { id: "d.py", reason: "the same as a.py" },
    ]);
  });

  it("reads each code cell of a notebook", async () => {
    const cells = [
      { cell_type: "markdown", source: "# Title" },
      { cell_type: "code", source: ["a = 1\n", "b = 2"] },
      { cell_type: "code", source: "" },
    ];
    const path = write("cells.ipynb", JSON.stringify({ nbformat: 4, cells }));
    expect(await readSeeds(path)).toEqual({
      seeds: [{ id: "cells.ipynb#1", source: "a = 1\nb = 2" }],
      problems: [{ id: "cells.ipynb#2", reason: "empty" }],
    });
  });

  it("reads a .jsonl of {id, source} and reports other lines by their number", async () => {
    const lines = [
      '{"id": "s1", "source": "a = 1"}',
      "",
      '{"id": 2, "source": "b = 2"}',
      "{",
      '{"id": "s1", "source": "c"}',
      "[]",
    ];
    const path = write("seeds.jsonl", lines.join("\n"));
    expect(await readSeeds(path)).toEqual({
      seeds: [
        { id: "s1", source: "a = 1" },
        { id: "2", source: "b = 2" },
      ],
      problems: [
        { id: "seeds.jsonl:4", reason: "no {id, source}" },
        { id: "s1", reason: "another seed has this id" },
        { id: "seeds.jsonl:6", reason: "no {id, source}" },
      ],
    });
  });

  it("reads one .py file as one seed", async () => {
    expect((await readSeeds(write("single.py", "x"))).seeds).toEqual([{ id: "single.py", source: "x" }]);
  });

  it.each([
    ["a missing path", () => join(folder, "missing"), /There are no seeds at .*missing/],
    ["an empty folder", () => dirname(write("empty/readme.txt", "x")), /empty has no seeds$/],
    ["only bad seeds", () => dirname(write("bad/a.py", "")), /bad has no seeds; a\.py: empty$/],
    ["a file that is no notebook", () => write("odd.ipynb", "[]"), /odd\.ipynb is not a notebook/],
    ["another kind of file", () => write("odd.txt", "x"), /odd\.txt cannot be read as seeds/],
  ])("refuses %s with the path", async (_, makePath, message) => {
    await expect(readSeeds(makePath())).rejects.toMatchObject({
      code: "INPUT_INVALID",
      message: expect.stringMatching(message),
    });
  });

  it("finds nothing wrong with the seeds of the project", async () => {
    const { seeds, problems } = await readSeeds("seeds");
    expect(problems).toEqual([]);
    expect(seeds.length).toBeGreaterThanOrEqual(114);
  });
});
