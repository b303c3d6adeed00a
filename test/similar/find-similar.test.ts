import { describe, expect, it } from "vitest";
import { createIngest } from "../../src/ingest/ingest.js";
import { createMakeCells } from "../../src/ingest/make-cells.js";
import { type NotebookCode, readCode } from "../../src/ingest/read-content.js";
import { notebookId } from "../../src/notebook/extract.js";
import {
  countInOrder,
  countWords,
  createSimilarNotebooks,
  createWordLikeness,
  matchCells,
} from "../../src/similar/find-similar.js";
import { embedder, labeller, notebook, useStores } from "../ingest/fixtures.js";

const { newStore } = useStores();
const make = createMakeCells({ embedder, labeller });

const READ = 'df = pd.read_csv("train.csv")';
const CLEAN = "df = df.dropna().reset_index(drop=True)";
const PLOT = "sns.heatmap(df.corr(), annot=True)";
const FIT = "model = RandomForestClassifier(n_estimators=300).fit(X_train, y_train)";
const SCORE = "print(classification_report(y_test, model.predict(X_test)))";

async function open() {
  const store = newStore();
  await createIngest({ embedder, labeller, store })([
    notebook("same.ipynb", "md:text", READ, CLEAN, PLOT, FIT, SCORE),
    notebook("shuffled.ipynb", SCORE, FIT, PLOT, CLEAN, READ),
    notebook("half.ipynb", READ, CLEAN, "import os", "os.getcwd()"),
    notebook("other.ipynb", "tokenizer = AutoTokenizer.from_pretrained(name)", "loss.backward()"),
  ]);
  return createSimilarNotebooks({ store, make });
}

function codeOf(...sources: string[]): NotebookCode {
  const read = readCode(notebook("q.ipynb", ...sources).notebook);
  if ("rejected" in read) throw new Error(read.rejected.reason);
  return read.code;
}

describe("similar notebooks", () => {
  it("rank higher with more shared cells, and with cells in the same order", async () => {
    const findSimilar = await open();
    const found = await findSimilar(codeOf(READ, CLEAN, PLOT, FIT, SCORE), { k: 3 });
    expect(found.map(({ name }) => name)).toEqual(["same.ipynb", "shuffled.ipynb", "half.ipynb"]);
    expect(found[0]).toMatchObject({
      id: notebookId("same.ipynb"),
      source: "upload",
      score: 1,
      inOrder: 5,
      theirSteps: [],
    });
    expect(found[0]!.shared.map(({ cellIndex, theirs, likeness }) => [cellIndex, theirs, likeness])).toEqual([
      [0, 1, 1],
      [1, 2, 1],
      [2, 3, 1],
      [3, 4, 1],
      [4, 5, 1],
    ]);
    expect(found[1]!.inOrder).toBe(1);
    expect(found[2]!.theirSteps).toContain("setup_notebook");
  });

  it("are found by similar cells, and exclude the notebook itself", async () => {
    const findSimilar = await open();
    const renamed = [READ, CLEAN, PLOT, FIT].map((code) =>
      code.replaceAll("df", "frame").replaceAll("model", "forest"),
    );
    const exclude = [notebookId("same.ipynb")];
    const found = await findSimilar(codeOf(...renamed), { k: 9, exclude });
    expect(found[0]!.name).toBe("shuffled.ipynb");
    expect(found.map(({ id }) => id)).not.toContain(exclude[0]);
  });

  it("are none for a notebook without code", async () => {
    expect(await (await open())(codeOf("md:text", "# nothing"), { k: 3 })).toEqual([]);
  });
});

describe("matching", () => {
  it("uses each cell once, most similar pairs first", () => {
    const pairs = [
      { here: 0, there: 0, likeness: 0.7 },
      { here: 0, there: 1, likeness: 0.9 },
      { here: 1, there: 1, likeness: 0.8 },
      { here: 2, there: 0, likeness: 0.6 },
    ];
    expect(matchCells(pairs).map(({ here, there }) => [here, there])).toEqual([
      [0, 1],
      [2, 0],
    ]);
  });

  it.each<[number[], number]>([
    [[], 0],
    [[4], 1],
    [[0, 1, 2], 3],
    [[2, 1, 0], 1],
    [[3, 0, 4, 1, 2], 3],
  ])("counts the items in order in %j: %i", (there, count) => {
    expect(countInOrder(there.map((each, here) => ({ here, there: each, likeness: 1 })))).toBe(count);
  });
});

describe("the words of a notebook", () => {
  it("are its names and the words of its strings and comments, without Python's own", () => {
    const counts = countWords(['for row in rows:  # each row\n    print(row["price"])', "x = train_df.price"]);
    expect([...counts]).toEqual([
      ["row", 3],
      ["rows", 1],
      ["each", 1],
      ["price", 2],
      ["train_df", 1],
    ]);
  });

  it("are most similar to themselves; rarer shared words increase the similarity", () => {
    const [one, two, three, four] = [
      countWords(["shared common alpha"]),
      countWords(["shared common beta"]),
      countWords(["common gamma delta"]),
      countWords(["epsilon"]),
    ];
    const likeness = createWordLikeness([one!, two!, three!, four!]);
    expect([likeness(one!, one!), likeness(one!, four!)]).toEqual([1, 0]);
    expect(likeness(one!, two!)).toBeGreaterThan(2 * likeness(one!, three!));
    expect(likeness(one!, two!)).toBe(likeness(two!, one!));
  });
});
