import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { profileCell } from "../../src/python/profile.js";
import { createEmbeddedStore, type EmbeddedOptions } from "../../src/store/embedded.js";
import { packProfile } from "../../src/store/profile-pack.js";
import type { VectorStore } from "../../src/store/vector-store.js";
import { fastFolder } from "../fast-folder.js";
import { cell, IDENTITY, put, sha } from "./contract/fixtures.js";

const writer = { pid: process.pid, activity: "a test" };

function makeFolder(): string {
  const folder = mkdtempSync(join(fastFolder, "celrec-kept-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function open(folder: string, options: Partial<EmbeddedOptions> = {}): VectorStore {
  const store = createEmbeddedStore({ folder, identity: IDENTITY, writer, hold: "call", ...options });
  onTestFinished(() => store.close());
  return store;
}

const entry = (name: string, cells: readonly ReturnType<typeof cell>[]) => ({
  notebook: {
    id: sha(name),
    source: "s",
    name,
    version: sha(name),
    skipped: 0,
    cells: cells.map(({ id }, cellIndex) => ({ cellIndex, id })),
    facts: {},
  },
  cells,
});

describe("the embedded store", () => {
  it("keeps the profiles of cells until the cells are deleted", async () => {
    const folder = makeFolder();
    const store = open(folder);
    expect(store.name).toBe("embedded");
    const one = { ...cell("a = 1"), profile: packProfile(profileCell("a = 1")) };
    const two = { ...cell("b = 2"), profile: packProfile(profileCell("b = 2")) };
    const damaged = {
      ...cell("d = 4"),
      profile: Uint8Array.from(one.profile, (byte, at) => byte ^ (at === 40 ? 1 : 0)),
    };
    const bare = cell("c = 3");
    await put(store, [entry("first", [one, bare, damaged]), entry("second", [two])]);
    const kept = async (from: VectorStore) =>
      new Map(
        [...(await from.profiles!([two.id, sha("unknown"), bare.id, one.id, damaged.id, "no id"]))].map(
          ([id, bytes]) => [id, [...bytes]],
        ),
      );
    const both = new Map([
      [two.id, [...two.profile]],
      [one.id, [...one.profile]],
    ]);
    expect(await kept(store)).toEqual(both);
    // New labels and vectors leave the code as it was.
    await store.rewrite(async (cells) =>
      cells.map(() => ({ labels: [], primary: null, vector: new Float32Array(4).fill(1) })),
    );
    await store.close();
    const again = open(folder);
    expect(await kept(again)).toEqual(both);
    await again.remove(sha("second"));
    expect(await kept(again)).toEqual(new Map([[one.id, [...one.profile]]]));
    expect(await again.profiles!([])).toEqual(new Map());
  });

  it("finds everything saved in the next process, and saves nothing twice", async () => {
    const folder = makeFolder();
    const limits = { minSavedRows: 10, maxBehindShare: 0, partRows: 60, scannedPerCandidate: 1 };
    const cells = Array.from({ length: 200 }, (_, at) =>
      cell(`x${at} = ${at}`, [Math.sin(at), Math.cos(at), Math.sin(3 * at), 1]),
    );
    const first = open(folder, { exactBelow: 100, limits });
    await put(first, [entry("all", cells)]);
    await first.settle();
    await first.close();
    const files = () =>
      readdirSync(folder)
        .filter((file) => file.endsWith(".snapshot"))
        .map((file) => [file, statSync(join(folder, file)).mtimeMs]);
    const saved = files();
    expect(saved.map(([file]) => String(file).split("-")[0])).toEqual([
      "cells",
      "graph",
      "graph",
      "graph",
      "graph",
      "profiles",
      "words",
    ]);
    const second = open(folder, { exactBelow: 100, limits });
    expect((await second.search({ vector: cells[7]!.vector, k: 1 }))[0]!.id).toBe(cells[7]!.id);
    expect((await second.lexical({ words: new Map([["7", 1]]), k: 9 }))!.map(({ id }) => id)).toEqual([cells[7]!.id]);
    await second.settle();
    expect(files()).toEqual(saved);
  });

  it("answers a stale reader at once, and updates it soon after", async () => {
    const folder = makeFolder();
    const store = open(folder, { share: "writer" });
    await put(store, [entry("first", [cell("a = 1")])]);
    const reader = open(folder, { share: "reader" });
    const found = async () => (await reader.search({ vector: Float32Array.of(1, 0, 0, 0), k: 9 })).length;
    expect(await found()).toBe(1);
    await put(store, [entry("second", [cell("b = 2")])]);
    // Every search triggers an update in the background.
    await vi.waitFor(async () => expect(await found()).toBe(2), { timeout: 20_000 });
    await put(store, [entry("third", [cell("c = 3")])]);
    await reader.refresh!("rows");
    expect(await found()).toBe(3);
  });

  it("loads changes of other processes before the next query", async () => {
    const folder = makeFolder();
    const limits = { keepUpMs: 5, minSavedRows: 1 };
    const store = open(folder, { exactBelow: 10, limits });
    await put(store, [entry("first", [cell("a = 1")])]);
    const reader = open(folder, { share: "reader", exactBelow: 10, limits });
    await reader.open();
    // Each question triggers an update, so every round writes again, waits longer, and only counts its first question.
    let seen = { words: 0, vectors: 0, written: 0 };
    for (let ms = 50; ms < 10_000 && (seen.written === 0 || seen.words < seen.written); ms *= 2) {
      const written = seen.written + 40;
      const cells = Array.from({ length: written }, (_, at) => cell(`x = ${at}`));
      await put(store, [entry("second", cells)]);
      await store.settle();
      await sleep(ms);
      const words = await reader.lexical({ words: new Map([["x", 1]]), k: 999 });
      const vectors = await reader.search({ vector: cells[7]!.vector, k: 999 });
      seen = { words: words!.length, vectors: vectors.length, written };
    }
    expect(seen).toEqual({ words: seen.written, vectors: seen.written + 1, written: seen.written });
    expect(reader.stalenessMs).toBe(10);
  });
});
