import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LABELS } from "../../src/label/labeller.js";
import { celrec, ipynb, makeFolder } from "./celrec.js";

const READ = 'df = pd.read_csv("a.csv")';
const FIT = "model.fit(X, y)";

interface Entry {
  readonly path?: string;
  readonly index: number;
  readonly labels: readonly { readonly label: string; readonly probability: number }[];
  readonly probabilities: Readonly<Record<string, number>>;
}

const read = (stdout: string) => JSON.parse(stdout) as Entry[];
const brief = (entries: readonly Entry[]) => entries.map(({ index, labels }) => [index, labels[0]?.label ?? null]);

describe("celrec label", () => {
  const files = {
    "n/a.ipynb": JSON.stringify({
      nbformat: 4,
      cells: [
        { cell_type: "markdown", source: "# Title" },
        { cell_type: "code", source: READ },
        { cell_type: "code", source: "# a comment" },
        { cell_type: "code", source: FIT },
      ],
    }),
    "cell.py": READ,
    "percent.py": `# %%\n${READ}\n# %%\n${FIT}\n`,
    "cells.jsonl": `${JSON.stringify({ source: READ })}\n\n${JSON.stringify({ id: 1, source: FIT })}\n`,
  };

  it("prints one entry per code cell, script or line, in the documented form", async () => {
    const folder = makeFolder(files);
    const label = async (words: string[], input?: string) => {
      const { code, stdout, stderr } = await celrec(
        ["label", "--json", ...words],
        input === undefined ? {} : { input },
      );
      expect([code, stderr]).toEqual([0, ""]);
      return read(stdout);
    };
    const [notebook, script, percent, lines, stdin, partial] = await Promise.all([
      label([join(folder, "n/a.ipynb")]),
      label([join(folder, "cell.py")]),
      label([join(folder, "percent.py")]),
      label([join(folder, "cells.jsonl")]),
      label([], READ),
      label(["-", "--partial"], "df = pd.read_csv("),
    ]);
    expect(brief(notebook)).toEqual([
      [1, "ingest_data"],
      [2, null],
      [3, "train_model"],
    ]);
    expect(brief(script)).toEqual([[0, "ingest_data"]]);
    expect(brief(percent)).toEqual([
      [0, "ingest_data"],
      [1, "train_model"],
    ]);
    expect(brief(lines)).toEqual([
      [0, "ingest_data"],
      [2, "train_model"],
    ]);
    expect(stdin).toEqual(script);
    expect(brief(partial)).toEqual([[0, "ingest_data"]]);
    for (const entry of [...notebook, ...partial]) {
      expect(Object.keys(entry)).toEqual(["index", "labels", "probabilities"]);
      expect(Object.keys(entry.probabilities)).toEqual([...LABELS]);
      for (const { label: name, probability } of entry.labels) expect(probability).toBe(entry.probabilities[name]);
      const given = entry.labels.map(({ probability }) => probability);
      expect(given).toEqual(given.toSorted((one, other) => other - one));
    }
  });

  it("names the file of each cell if there are several", async () => {
    const folder = makeFolder({ ...files, "n/b.ipynb": ipynb(FIT) });
    const { stdout } = await celrec(["label", join(folder, "n")]);
    expect(stdout.split("\n").map((line) => line.replace(/ [\d.]+$/, ""))).toEqual([
      "a.ipynb [1] ingest_data",
      "a.ipynb [2] none",
      "a.ipynb [3] train_model",
      "b.ipynb [0] train_model",
      "",
    ]);
  });

  it("skips files that are not notebooks, and exits 4", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb(FIT), "n/bad.ipynb": "[]", "only/bad.ipynb": "[]" });
    const [some, none] = await Promise.all([
      celrec(["label", "--json", join(folder, "n")]),
      celrec(["label", "--json", join(folder, "only")]),
    ]);
    expect(some).toMatchObject({
      code: 4,
      stderr: "rejected bad.ipynb: JSON, but not a notebook: the top is a list, not an object\n",
    });
    expect(brief(read(some.stdout))).toEqual([[0, "train_model"]]);
    expect(none).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "celrec: bad.ipynb: JSON, but not a notebook: the top is a list, not an object\n",
    });
  });

  it("names the line of a .jsonl that is wrong", async () => {
    const folder = makeFolder({ "a.jsonl": '{"source": "x"}\n{\n', "b.jsonl": '{"source": "x"}\nnull\n' });
    const [broken, other, missing] = await Promise.all([
      celrec(["label", join(folder, "a.jsonl")]),
      celrec(["label", join(folder, "b.jsonl")]),
      celrec(["label", join(folder, "c.jsonl")]),
    ]);
    expect([broken.code, broken.stderr]).toMatchObject([2, expect.stringContaining("a.jsonl, line 2 is not JSON: ")]);
    expect([other.code, other.stderr]).toEqual([
      2,
      `celrec: ${join(folder, "b.jsonl")}, line 2 has no "source" of type string.\n`,
    ]);
    expect(missing.code).toBe(1);
  });
});
