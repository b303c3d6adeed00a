import { describe, expect, it } from "vitest";
import { notebookId } from "../../src/cells/extract.js";
import { findNotebooks, onlyOne } from "../../src/ingest/find-notebooks.js";
import { createIngest } from "../../src/ingest/ingest.js";
import { embedder, labeller, notebook, useStores } from "./fixtures.js";

const { newStore } = useStores();

describe("findNotebooks", () => {
  it("knows a notebook by its id, its path, its source and path, and an upload by its name", async () => {
    const store = newStore();
    const named = [
      { ...notebook("up.ipynb", "a = 1") },
      { ...notebook("n.ipynb", "a = 1"), source: "/one" },
      { ...notebook("n.ipynb", "a = 1"), source: "/two" },
      { ...notebook("sub/m.ipynb", "a = 1"), source: "/two" },
    ];
    await createIngest({ embedder, labeller, store })(named);
    const [one, two, m] = [
      notebookId("n.ipynb", "/one"),
      notebookId("n.ipynb", "/two"),
      notebookId("sub/m.ipynb", "/two"),
    ];
    const words = ["up.ipynb", one, "sub/m.ipynb", "/two/n.ipynb", "n.ipynb", "nothing", "f".repeat(64)];
    const found = await findNotebooks(store, words);
    expect(words.map((word) => [...found.get(word)!].sort())).toEqual([
      [notebookId("up.ipynb")],
      [one],
      [m],
      [two],
      [one, two].sort(),
      [],
      [],
    ]);
    expect(onlyOne("nothing", [])).toBeNull();
    expect(onlyOne("x", [m])).toBe(m);
    expect(() => onlyOne("n.ipynb", [one, two])).toThrow(
      expect.objectContaining({ code: "INPUT_INVALID", message: expect.stringContaining(`${one}, ${two}`) }),
    );
  });
});
