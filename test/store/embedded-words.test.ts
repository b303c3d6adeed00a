import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmbeddedStore } from "../../src/store/embedded.js";
import { fastFolder } from "../fast-folder.js";
import { cell, IDENTITY, notebook, put } from "./contract/fixtures.js";

const newFolder = () => {
  const folder = mkdtempSync(join(fastFolder, "celrec-words-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};
const open = (folder: string) => {
  const store = createEmbeddedStore({ folder, identity: IDENTITY, writer: { pid: 1, activity: "test" }, hold: "call" });
  onTestFinished(() => store.close());
  return store;
};
const words = (...names: string[]) => new Map(names.map((name) => [name, 1]));
const find = async (store: ReturnType<typeof open>, ...names: string[]) => {
  const hits = (await store.lexical({ words: words(...names), k: 3 }))!;
  return (await store.cells(hits.map(({ id }) => id))).map(({ code }) => code);
};
const many = Array.from({ length: 2_500 }, (_, at) => cell(`filler_${at.toString(36)}()`, [1, 0, 0, 0], ["load"]));

describe("searching the embedded store by words", () => {
  it("finds cells by the words of their raw code, comments too, best first", async () => {
    const store = open(newFolder());
    const cells = [cell("model.fit(X)"), cell("model.predict(X) # fit"), cell("plt.show()")];
    await put(store, [notebook("a", cells)]);
    expect(await find(store, "fit")).toEqual(["model.fit(X)", "model.predict(X) # fit"]);
    expect(await find(store, "absent")).toEqual([]);
  });

  it("keeps to the label filter", async () => {
    const store = open(newFolder());
    await put(store, [
      notebook("a", [cell("fit(1)", [1, 0, 0, 0], ["train"]), cell("fit(2)", [1, 0, 0, 0], ["plot"])]),
    ]);
    const filter = { field: "labels", any: ["plot"], unlabelled: false } as const;
    const hits = (await store.lexical({ words: words("fit"), k: 3, filter }))!;
    expect((await store.cells(hits.map(({ id }) => id))).map(({ code }) => code)).toEqual(["fit(2)"]);
  });

  it("follows added and removed cells", async () => {
    const store = open(newFolder());
    await put(store, [notebook("a", [cell("fit(1)")])]);
    expect(await find(store, "fit")).toEqual(["fit(1)"]);
    await put(store, [notebook("b", [cell("fit(2)")])]);
    await store.remove(notebook("a", []).notebook.id);
    expect(await find(store, "fit")).toEqual(["fit(2)"]);
  });

  it("loads the saved words of a large index, and replays later changes", async () => {
    const folder = newFolder();
    const first = open(folder);
    await put(first, [notebook("a", [...many, cell("needle(1)")]), notebook("gone", [cell("needle(2)")])]);
    await first.settle();
    await first.remove(notebook("gone", []).notebook.id);
    await put(first, [notebook("b", [cell("needle(3)")])]);
    await first.close();
    expect(readdirSync(folder).filter((file) => file.startsWith("words-"))).toHaveLength(1);
    expect((await find(open(folder), "needle")).sort()).toEqual(["needle(1)", "needle(3)"]);
  });

  it("reads everything again if the saved words are damaged", async () => {
    const folder = newFolder();
    const first = open(folder);
    await put(first, [notebook("a", [...many, cell("needle(1)")])]);
    await first.settle();
    await first.close();
    const file = join(folder, readdirSync(folder).find((name) => name.startsWith("words-"))!);
    const bytes = readFileSync(file);
    bytes[bytes.length >> 1]! ^= 255;
    writeFileSync(file, bytes);
    expect(await find(open(folder), "needle")).toEqual(["needle(1)"]);
  });
});
