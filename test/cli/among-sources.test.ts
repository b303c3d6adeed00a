import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { celrec, ipynb, makeFolder } from "./celrec.js";

const READ = 'df = pd.read_csv("a.csv")';
const FIT = "model.fit(X, y)";

describe("celrec recommend and similar, among sources", () => {
  it("return only results from the requested sources with enough votes", { timeout: 120_000 }, async () => {
    const lines = [
      { path: "loved.ipynb", cells: [READ, "x = 1"], votes: 12 },
      { path: "known.ipynb", cells: [FIT], votes: 2 },
    ];
    const folder = makeFolder({
      "team/a.ipynb": ipynb(READ, FIT),
      "k.jsonl": lines.map((line) => JSON.stringify(line)).join("\n"),
    });
    const data = ["--data", join(folder, "index")];
    expect((await celrec(["index", join(folder, "team"), "--source", "team", ...data])).code).toBe(0);
    expect((await celrec(["index", join(folder, "k.jsonl"), "--source", "kaggle", ...data])).code).toBe(0);
    const ask = async (...flags: string[]) => {
      const words = ["recommend", "-k", "9", "--mode", "similar", "--json", ...flags, ...data];
      const { recommendations } = JSON.parse((await celrec(words, { input: READ })).stdout);
      return recommendations.map(({ code, notebook }: { code: string; notebook: { source: string; name: string } }) => [
        code,
        `${notebook.source} ${notebook.name}`,
      ]);
    };
    expect((await ask("--sources", "team")).toSorted()).toEqual([
      [READ, "team a.ipynb"],
      [FIT, "team a.ipynb"],
    ]);
    expect(await ask("--min-votes", "3", "--sources", "team", "kaggle")).toEqual([
      [READ, "kaggle loved.ipynb"],
      ["x = 1", "kaggle loved.ipynb"],
    ]);
    // Sources can also be given by path; an unknown name is an error.
    expect((await celrec(["index", join(folder, "k.jsonl"), ...data])).code).toBe(0);
    expect(await ask("--sources", join(folder, "team/../k.jsonl"))).toHaveLength(3);
    const unknown = await celrec(["search", "model", "--sources", "nope", ...data]);
    const message = "celrec: There is no source nope; celrec sources lists them.\n";
    expect([unknown.code, unknown.stderr]).toEqual([1, message]);
    const found = await celrec(["search", "model", "--sources", "team", ...data]);
    expect(found.stdout).toContain("a.ipynb");
    const many = await celrec(["similar", join(folder, "k.jsonl"), ...data]);
    expect([many.code, many.stderr]).toEqual([
      2,
      expect.stringContaining("contains several notebooks; name one of them"),
    ]);
    const { stdout } = await celrec(["similar", join(folder, "team/a.ipynb"), "-k", "1", "--json", ...data]);
    expect(JSON.parse(stdout).notebooks).toMatchObject([{ rank: 1, inOrder: 1 }]);
    const { code, stderr } = await celrec(["similar", join(folder, "k.jsonl"), "-k", "0", ...data]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("-k")]);
  });
});
