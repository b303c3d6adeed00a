import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createIndexModel, MODEL_FILE, type NotebookSource } from "../../src/complete/index-model.js";
import type { Notebook, StoredCell } from "../../src/store/vector-store.js";

const shipped = { revision: "r1", vocabulary: ["df", ".", "head"], nameRoles: new Map<string, string>() };

/** The part of a store that a model needs, over notebooks in memory. */
function sourceOf(notebooks: Map<string, readonly string[]>): NotebookSource {
  const versionOf = (id: string) => notebooks.get(id)!.join("\f");
  return {
    notebooks: async ({ after = "", limit }) =>
      [...notebooks.keys()]
        .sort()
        .filter((id) => id > after)
        .slice(0, limit)
        .map((id) => ({ id, source: "s", name: id, cells: 1, skipped: 0 })),
    versions: async (ids) => new Map(ids.filter((id) => notebooks.has(id)).map((id) => [id, versionOf(id)])),
    notebook: async (id) =>
      notebooks.has(id)
        ? ({ id, cells: notebooks.get(id)!.map((code, cellIndex) => ({ cellIndex, id: code })) } as unknown as Notebook)
        : null,
    cells: async (ids) => ids.map((id) => ({ id, code: id }) as StoredCell),
  };
}

const knows = (model: ReturnType<typeof createIndexModel>, text: string) =>
  model.isKnown(model.vocabulary().idOf(text));
const folder = () => mkdtemp(join(tmpdir(), "celrec-completions-"));

describe("the model of an index", () => {
  it("learns the notebooks of a store only once", async () => {
    const model = createIndexModel({ shipped });
    const source = sourceOf(new Map([["a", ["alpha = 1", "beta(alpha)"]]]));
    expect(await model.update(source)).toBe(true);
    expect(await model.update(source)).toBe(false);
    expect(model.stats()).toMatchObject({ notebooks: 1, tokens: 10 });
  });

  it("learns a longer cell that two notebooks share once, and a short one each time", async () => {
    const short = "alpha = 1";
    const long = "alpha = beta(1, 2, 3, 4, 5, 6, 7, 8, 9)";
    const tokensOf = async (...notebooks: readonly (readonly string[])[]) => {
      const model = createIndexModel({ shipped });
      await model.update(sourceOf(new Map(notebooks.map((cells, at) => [`n${at}`, cells]))));
      return model.stats().tokens;
    };
    // Each notebook ends with one more token.
    expect(await tokensOf([short])).toBe(5);
    expect(await tokensOf([short], [short])).toBe(10);
    const once = await tokensOf([long]);
    expect(await tokensOf([long], [long])).toBe(once + 1);
  });

  it("stays small with any number of copies of one cell", async () => {
    const model = createIndexModel({ shipped });
    await model.update(sourceOf(new Map([["a", new Array<string>(20_000).fill("alpha = 1")]])));
    expect(model.stats().tokens).toBeLessThan(2_000);
    expect(knows(model, "alpha")).toBe(true);
  });

  it("learns a cell with a very long line, but none with more than 100,000 characters", async () => {
    const model = createIndexModel({ shipped });
    const cellOf = (numbers: number) => `alpha = [${"1, ".repeat(numbers)}]`;
    await model.update(sourceOf(new Map([["a", [cellOf(30_000), cellOf(40_000), cellOf(30_000_000)]]])));
    expect(model.stats()).toMatchObject({ notebooks: 1, tokens: 60_006 });
  });

  it("adds later rows as a new part", async () => {
    const notebooks = new Map([
      ["a", ["alpha = 1"]],
      ["b", ["beta = 1"]],
    ]);
    const model = createIndexModel({ shipped });
    await model.update(sourceOf(notebooks));
    notebooks.set("c", ["gamma = 1"]);
    await model.update(sourceOf(notebooks));
    expect([model.segments().length, knows(model, "gamma")]).toEqual([2, true]);
  });

  it("forgets tokens of a deleted notebook at once", async () => {
    const notebooks = new Map([
      ["a", ["alpha = 1"]],
      ["b", ["beta = 1"]],
      ["c", ["gamma = 1"]],
    ]);
    const model = createIndexModel({ shipped });
    await model.update(sourceOf(notebooks));
    notebooks.delete("b");
    await model.forgetMissing(sourceOf(notebooks));
    expect([knows(model, "alpha"), knows(model, "beta"), knows(model, "=")]).toEqual([true, false, true]);
  });

  it("is empty after everything was deleted", async () => {
    const notebooks = new Map([["a", ["alpha = 1"]]]);
    const model = createIndexModel({ shipped });
    await model.update(sourceOf(notebooks));
    notebooks.clear();
    await model.update(sourceOf(notebooks));
    expect([model.segments().length, knows(model, "alpha"), model.stats().notebooks]).toEqual([0, false, 0]);
  });

  it("stops learning at its limit, and reports what it has read", async () => {
    const notebooks = new Map(Array.from({ length: 5 }, (_, at) => [`n${at}`, [`name${at} = 1`]] as const));
    const model = createIndexModel({ shipped, maxTokens: 8 });
    await model.update(sourceOf(notebooks));
    expect([model.stats().notebooks, model.stats().tokens <= 13]).toEqual([5, true]);
  });

  it("is kept in a file and read again", async () => {
    const data = await folder();
    const source = sourceOf(new Map([["a", ["alpha = 1", "df.head()"]]]));
    await createIndexModel({ shipped, folder: data }).update(source);
    const again = createIndexModel({ shipped, folder: data });
    await again.load();
    expect(await again.update(source)).toBe(false);
    expect([again.stats().notebooks, knows(again, "alpha")]).toEqual([1, true]);
  });

  it.each([
    ["damaged", async (file: string) => writeFile(file, (await readFile(file)).subarray(0, -9))],
    ["empty", async (file: string) => writeFile(file, "")],
  ])("is learnt again if its file is %s", async (_, damage) => {
    const data = await folder();
    const source = sourceOf(new Map([["a", ["alpha = 1"]]]));
    await createIndexModel({ shipped, folder: data }).update(source);
    await damage(join(data, MODEL_FILE));
    const again = createIndexModel({ shipped, folder: data });
    await again.load();
    expect(again.stats().notebooks).toBe(0);
    expect(await again.update(source)).toBe(true);
    expect(knows(again, "alpha")).toBe(true);
  });

  it("is learnt again with another revision of the shipped model", async () => {
    const data = await folder();
    const source = sourceOf(new Map([["a", ["alpha = 1"]]]));
    await createIndexModel({ shipped, folder: data }).update(source);
    const newer = createIndexModel({ shipped: { ...shipped, revision: "r2" }, folder: data });
    await newer.load();
    expect(newer.stats().notebooks).toBe(0);
  });

  it("names the cells that contain a completion", async () => {
    const model = createIndexModel({ shipped });
    await model.update(
      sourceOf(
        new Map([
          ["a", ["alpha = beta(1)"]],
          ["b", ["beta(2)"]],
        ]),
      ),
    );
    const ids = ["=", "beta", "(", "1", ")"].map((text) => model.vocabulary().idOf(text));
    expect(model.cellsWith(ids, 2)).toEqual(["alpha = beta(1)"]);
  });
});
