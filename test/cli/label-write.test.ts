import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { celrec, ipynb, makeFolder } from "./celrec.js";

const READ = 'df = pd.read_csv("a.csv")';
const FIT = "model.fit(X, y)";

/** A notebook in Jupyter's layout. A parser would write its numbers and escapes differently. */
const NOTEBOOK = `{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": ["# caf\\u00e9"]
  },
  {
   "cell_type": "code",
   "execution_count": 1.0,
   "metadata": {},
   "outputs": [{"data": 1e3}],
   "source": ["model.fit(X, y)"]
  },
  {
   "cell_type": "code",
   "metadata": {"tags": ["mine", "ingest_data"], "x": 1},
   "source": "model.fit(X, y)"
  }
 ],
 "metadata": {},
 "nbformat": 4
}
`;

const TAGGED = NOTEBOOK.replace(
  '"execution_count": 1.0,\n   "metadata": {},',
  '"execution_count": 1.0,\n   "metadata": {\n    "tags": [\n     "train_model"\n    ]\n   },',
).replace('["mine", "ingest_data"]', '["mine", "train_model"]');

describe("celrec label --write", () => {
  it("changes only the tags, and nothing the second time", async () => {
    const folder = makeFolder({ "a.ipynb": NOTEBOOK });
    const path = join(folder, "a.ipynb");
    const first = await celrec(["label", "--write", path]);
    expect([first.code, first.stderr]).toEqual([0, ""]);
    expect(first.stdout).toMatch(
      /^\[1\] train_model [\d.]+\n\[2\] train_model [\d.]+\nwrote a\.ipynb: tags of 2 of 2 code cells\n$/,
    );
    expect(readFileSync(path, "utf8")).toBe(TAGGED);
    const before = statSync(path);
    const second = await celrec(["label", "--write", path]);
    expect(second.stdout).toMatch(/unchanged a\.ipynb\n$/);
    expect(statSync(path)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
    expect(readdirSync(folder)).toEqual(["a.ipynb"]);
  });

  it("takes folders and several notebooks, keeps modes and links, and leaves scripts alone", async () => {
    const script = `# %%\n${READ}\n`;
    const folder = makeFolder({
      "n/a.ipynb": NOTEBOOK,
      "n/deep/b.ipynb": ipynb(READ),
      "n/s.py": script,
      "real.ipynb": NOTEBOOK,
    });
    chmodSync(join(folder, "n/a.ipynb"), 0o640);
    symlinkSync(join(folder, "real.ipynb"), join(folder, "link.ipynb"));
    const { code, stdout } = await celrec(["label", "--write", join(folder, "n"), join(folder, "link.ipynb")]);
    expect(code).toBe(0);
    expect(stdout.split("\n").filter((line) => line.startsWith("wrote"))).toEqual([
      "wrote a.ipynb: tags of 2 of 2 code cells",
      "wrote deep/b.ipynb: tags of 1 of 1 code cells",
      "wrote real.ipynb: tags of 2 of 2 code cells",
    ]);
    expect(statSync(join(folder, "n/a.ipynb")).mode & 0o777).toBe(0o640);
    expect(lstatSync(join(folder, "link.ipynb")).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, "real.ipynb"), "utf8")).toBe(TAGGED);
    expect(readFileSync(join(folder, "n/s.py"), "utf8")).toBe(script);
  });

  it("keeps stdout one JSON document and writes the rest to stderr", async () => {
    const folder = makeFolder({ "a.ipynb": ipynb(FIT) });
    const { stdout, stderr } = await celrec(["label", "--write", "--json", join(folder, "a.ipynb")]);
    expect(JSON.parse(stdout)).toMatchObject([{ index: 0, labels: [{ label: "train_model" }] }]);
    expect(stderr).toBe("wrote a.ipynb: tags of 1 of 1 code cells\n");
  });

  it("skips files that it cannot write, and exits 4", async () => {
    const folder = makeFolder({ "n/bad.ipynb": "[]", "n/good.ipynb": NOTEBOOK });
    const latin = Buffer.from(NOTEBOOK.replace("caf\\u00e9", "caf\xe9"), "latin1");
    writeFileSync(join(folder, "n/latin.ipynb"), latin);
    const { code, stderr } = await celrec(["label", "--write", join(folder, "n")]);
    expect(code).toBe(4);
    expect(stderr).toBe(
      "rejected bad.ipynb: JSON, but not a notebook: the top is a list, not an object\n" +
        "not written latin.ipynb: it is not UTF-8, so its other content could not be preserved; save it as UTF-8\n",
    );
    expect(readFileSync(join(folder, "n/latin.ipynb")).equals(latin)).toBe(true);
    expect(readFileSync(join(folder, "n/good.ipynb"), "utf8")).toBe(TAGGED);
  });

  it("rejects files that cannot have tags, before it changes anything", async () => {
    const folder = makeFolder({ "a.ipynb": NOTEBOOK, "c.py": READ });
    const [mixed, stdin, partial] = await Promise.all([
      celrec(["label", "--write", join(folder, "a.ipynb"), join(folder, "c.py")]),
      celrec(["label", "--write"], { input: READ }),
      celrec(["label", "--write", "--partial", join(folder, "a.ipynb")]),
    ]);
    expect([mixed.code, stdin.code, partial.code]).toEqual([2, 2, 2]);
    expect(mixed.stderr).toContain(`${join(folder, "c.py")} cannot have tags.`);
    expect(stdin.stderr).toContain("standard input cannot have tags.");
    expect(partial.stderr).toContain("cannot be combined with --partial");
    expect(readFileSync(join(folder, "a.ipynb"), "utf8")).toBe(NOTEBOOK);
  });

  it("has nothing to write into a notebook without cells", async () => {
    const folder = makeFolder({ "a.ipynb": '{"nbformat": 3, "metadata": {}}' });
    const { code, stdout } = await celrec(["label", "--write", join(folder, "a.ipynb")]);
    expect([code, stdout]).toEqual([0, "unchanged a.ipynb\n"]);
  });

  it("reports that there is no notebook", async () => {
    const folder = makeFolder({ "s.py": `# %%\n${READ}\n` });
    const { code, stderr } = await celrec(["label", "--write", folder]);
    expect([code, stderr]).toEqual([1, `celrec: There is no notebook in ${folder}.\n`]);
  });
});
