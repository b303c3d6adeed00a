import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openCelrec } from "../src/library.js";
import { ipynb } from "./cli/celrec.js";

describe("the library", () => {
  it("goes from notebooks to recommendations in five lines", async () => {
    const folder = mkdtempSync(join(tmpdir(), "celrec-library-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(join(folder, "notebooks"));
    writeFileSync(join(folder, "notebooks/a.ipynb"), ipynb('df = pd.read_csv("a.csv")\ndf.head()', "model.fit(X, y)"));
    cpSync(join(folder, "notebooks/a.ipynb"), join(folder, "notebooks/b.ipynb"));
    const celrec = await openCelrec({ data: join(folder, "index") });
    onTestFinished(() => celrec.close());
    expect(await celrec.index(join(folder, "notebooks"), { source: "team" })).toMatchObject({ notebooks: 2, new: 2 });
    const { recommendations } = await celrec.recommend("df = pd.read_csv(", { minConfidence: 0, k: 1 });
    expect(recommendations).toMatchObject([{ rank: 1, notebook: { source: "team", name: "a.ipynb", cellIndex: 0 } }]);
    expect((await celrec.label("model.fit(X, y)")).primary).toBe("train_model");
    const { notebooks } = await celrec.similar(join(folder, "notebooks/a.ipynb"));
    expect(notebooks).toMatchObject([{ rank: 1, name: "b.ipynb", inOrder: 2, theirSteps: [] }]);
    expect(await celrec.sources()).toMatchObject([{ source: "team", notebooks: 2, cells: 4 }]);
    expect(await celrec.forget("team")).toEqual({ source: "team", removed: 2 });
    await expect(celrec.recommend("x", { k: 0 })).rejects.toMatchObject({ code: "INPUT_INVALID" });
  });
});
