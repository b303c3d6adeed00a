import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { celrec, ipynb, makeFolder } from "./celrec.js";

const LONG = ["model.fit(X, y)", ...Array.from({ length: 9 }, (_, at) => `step(${at})`)].join("\n");

describe("celrec search", () => {
  it("finds cells by plain words, for people and as a document", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb('df = pd.read_csv("a.csv")', LONG) });
    const data = join(folder, "index");
    expect((await celrec(["index", join(folder, "n"), "--data", data])).code).toBe(0);
    const [text, full, json, none, label] = await Promise.all([
      celrec(["search", "fit", "a", "model", "--data", data, "-k", "1"]),
      celrec(["search", "fit", "--full", "--data", data]),
      celrec(["search", "read csv", "--json", "--data", data]),
      celrec(["search", "zebra", "--data", data]),
      celrec(["search", "fit", "--label", "nonsense", "--data", data]),
    ]);
    expect(text).toMatchObject({ code: 0, stderr: "" });
    expect(text.stdout).toMatch(
      /^1\. a\.ipynb \[1\] {2}\d+\.\d{3} train_model\n {3}model\.fit\(X, y\)\n(?: {3}step\(\d\)\n){7} {3}\(lines 1 to 8 of 10; --full shows all\)\n$/,
    );
    expect(full.stdout.split("\n").length).toBe(12);
    expect(JSON.parse(json.stdout).cells).toMatchObject([{ rank: 1, code: 'df = pd.read_csv("a.csv")' }]);
    expect(none.stdout).toBe("No cell contains any of these words.\n");
    expect([label.code, label.stderr.startsWith('celrec: "nonsense" is not a label')]).toEqual([2, true]);
  });
});
