import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { celrec, ipynb, makeFolder, withoutProgress } from "./celrec.js";

const CELL = "df = pd.read_csv('a.csv')\ndf.head()\ndf.describe()";
const env = { CELREC_EMBEDDER: "default" };

describe("celrec train", () => {
  it("requires many notebooks for training, and reports the count", async () => {
    const few = { "n/a.ipynb": ipynb(CELL), "n/b.ipynb": ipynb(`${CELL}\ndf.info()`) };
    const many = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`m/${at}.ipynb`, ipynb(`x${at} = load(${at})`, `${CELL}\nplot(x${at})`)]),
    );
    const folder = makeFolder({ ...few, ...many });
    const data = join(folder, "index");
    expect((await celrec(["index", folder, "--data", data], { env })).code).toBe(0);
    const train = (...flags: string[]) => celrec(["train", "--data", data, ...flags], { env });
    const [tooFew, enough] = await Promise.all([
      train("--notebooks", join(folder, "n")),
      train("--notebooks", join(folder, "m"), "--json"),
    ]);
    expect(tooFew.code).toBe(2);
    expect(tooFew.stderr).toContain("2 half-typed cells of 2 notebooks are too few to learn from");
    expect([enough.code, withoutProgress(enough.stderr)]).toEqual([0, ""]);
    // Every list has nearly the same cell of another notebook, so training cannot improve the ranking.
    const { cases, notebooks, kept, folder: own, metrics } = JSON.parse(enough.stdout);
    expect({ cases, notebooks, kept, own }).toEqual({ cases: 40, notebooks: 40, kept: false, own: null });
    expect(Object.keys(metrics)).toEqual(["chrf", "call-f1", "insert-chrf"]);
    expect(existsSync(join(data, "rerank"))).toBe(false);
  });

  it("returns to the shipped model, and requires training notebooks", async () => {
    const data = join(makeFolder({}), "index");
    const [reset, nothing, other] = await Promise.all([
      celrec(["train", "--reset", "--data", data], { env }),
      celrec(["train", "--data", data], { env }),
      celrec(["train", "--notebooks", ".", "--data", data], { env: { CELREC_EMBEDDER: "lexical" } }),
    ]);
    expect(reset).toMatchObject({ code: 0, stdout: "The default ranking is already in use.\n" });
    expect([nothing.code, other.code]).toEqual([2, 2]);
    expect(nothing.stderr).toContain("celrec train --notebooks FOLDER");
    expect(other.stderr).toContain("default embedder");
  });
});
