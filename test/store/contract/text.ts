import { describe, expect, it } from "vitest";
import {
  type CreatePlace,
  cell,
  expectSoon,
  ids,
  notebook,
  occurrence,
  put,
  stored,
  summary,
  usePlaces,
} from "./fixtures.js";

const AWKWARD = [
  `it's a "quote"`,
  "back\\slash and C:\\new\\",
  "line\nbreak\r\nand\ttab",
  "ünïcödé ✓ 漢字",
  "four bytes 🦀𝒳",
  "per%cent _under_ {brace} [bracket]",
  "nul \u0000 inside",
  "' or '1'='1",
  '" or id != "',
  '\\" or id != \\"',
];

export function describeText(createPlace: CreatePlace): void {
  describe("text", () => {
    const { newStore } = usePlaces(createPlace);

    it("keeps names and code to the character", async () => {
      const store = await newStore();
      const writes = AWKWARD.map((text, index) =>
        notebook(`${text}.ipynb`, [cell(`print(${text})`, [1, index, 0, 0])]),
      );
      await put(store, writes);
      const check = async ({ notebook, cells }: (typeof writes)[number]) => {
        expect(await store.notebook(notebook.id)).toEqual(notebook);
        expect(await store.cells(ids(cells))).toEqual(cells.map(stored));
        const only = occurrence(notebook.name, 0);
        await expectSoon(store, () => store.occurrences(cells[0]!.id, { limit: 1_000 }), [only]);
      };
      await Promise.all(writes.map(check));
    });

    it("treats any text as an id, never as an expression", async () => {
      const store = await newStore();
      const one = notebook("one.ipynb", [cell("one")]);
      await put(store, [one]);
      expect(await store.missing(AWKWARD)).toEqual(new Set(AWKWARD));
      expect(await store.cells(AWKWARD)).toEqual([]);
      expect(await store.vectors(AWKWARD)).toEqual(new Map());
      expect(await Promise.all(AWKWARD.map((text) => store.notebook(text)))).toEqual(AWKWARD.map(() => null));
      expect(await Promise.all(AWKWARD.map((text) => store.remove(text)))).toEqual(AWKWARD.map(() => false));
      const search = { vector: Float32Array.of(1, 0, 0, 0), k: 5, strong: true };
      expect(await store.search({ ...search, filter: { field: "primary", any: AWKWARD, unlabelled: false } })).toEqual(
        [],
      );
      expect(await store.search({ ...search, filter: { field: "labels", any: AWKWARD, unlabelled: false } })).toEqual(
        [],
      );
      expect(await store.notebook(one.notebook.id)).toEqual(one.notebook);
    });

    it("pages from any text, and excludes any text", async () => {
      const store = await newStore();
      const one = notebook("one.ipynb", [cell("one")]);
      await put(store, [one]);
      await expectSoon(store, () => store.notebooks({ after: '"', limit: 5 }), [summary(one.notebook)]);
      await expectSoon(store, () => store.notebooks({ after: '~" or notebook != "', limit: 5 }), []);
      const exclude = { notebooks: AWKWARD, occurrence: { notebook: '" or "" == "', cellIndex: 0 } };
      const first = occurrence("one.ipynb", 0);
      const expected = new Map([[one.cells[0]!.id, { count: 1, first }]]);
      await expectSoon(store, () => store.provenance(ids(one.cells), exclude), expected);
    });

    it("holds cells of 60,000 bytes", async () => {
      const store = await newStore();
      const cells = [
        cell("x".repeat(60_000), [1, 0, 0, 0]),
        cell("é".repeat(30_000), [0, 1, 0, 0]),
        cell("🦀".repeat(15_000), [0, 0, 1, 0]),
        ...Array.from({ length: 60 }, (_, index) => cell(`${index}`.padEnd(60_000, "\n#"), [0, 0, 1, index])),
      ];
      await put(store, [notebook("wide.ipynb", cells)]);
      expect(await store.cells(ids(cells))).toEqual(cells.map(stored));
    });
  });
}
