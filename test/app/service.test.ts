import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { chooseWorkers, openService } from "../../src/app/service.js";
import { MODEL_FILE } from "../../src/complete/index-model.js";
import { parseConfig } from "../../src/config.js";
import { RecommenderError } from "../../src/errors.js";
import { cellId, notebookId } from "../../src/notebook/extract.js";
import { ipynb, makeFolder } from "../http/service.js";

function open(folder: string, workers: number) {
  const config = parseConfig({
    CELREC_DATA: folder,
    CELREC_EMBEDDER: "lexical",
    CELREC_WORKERS: String(workers),
    CELREC_FEEDBACK: "on",
  });
  return openService(config, { activity: "celrec test", hold: "call" });
}

const file = (name: string, codes: readonly string[]) => ({
  name,
  format: "ipynb" as const,
  bytes: Buffer.from(JSON.stringify(ipynb(codes))),
});

describe("a service with threads", () => {
  it("learns completions when the first one is asked for, and not before", async () => {
    const folder = makeFolder(onTestFinished);
    const config = parseConfig({ CELREC_DATA: folder, CELREC_EMBEDDER: "lexical", CELREC_WORKERS: "1" });
    const role = { activity: "celrec test", hold: "call" } as const;
    const service = await openService(config, role, { settleAfterMs: 0 });
    onTestFinished(service.close);
    const isLearnt = () => existsSync(join(folder, MODEL_FILE));
    await service.ask.upload([file("a", ["model.fit(X, y)\nmodel.score(X, y)"])]);
    await vi.waitFor(() => expect(readdirSync(folder)).toContain("settle.lock"), { timeout: 20_000 });
    expect(isLearnt()).toBe(false);
    await service.ask.complete({ prefix: "model.", k: 1, maxLines: 1, minConfidence: 0 });
    await vi.waitFor(() => expect(isLearnt()).toBe(true), { timeout: 20_000 });
  });

  it("moves large bodies to a thread instead of copying them on the main thread", async () => {
    const service = await open(makeFolder(onTestFinished), 1);
    onTestFinished(service.close);
    const { bytes } = file(
      "large",
      Array.from({ length: 300 }, (_, at) => `x = ${at} # ${"y".repeat(3_000)}`),
    );
    const upload = new Uint8Array(bytes);
    const { answer } = await service.ask.upload([{ name: "large", format: "ipynb", bytes: upload }]);
    expect(answer.notebooks[0]!.cells).toBe(300);
    const labels = new TextEncoder().encode(
      JSON.stringify({ notebook: ipynb(["model.fit(X, y)", " ".repeat(9_000)]) }),
    );
    expect(await service.ask.label(labels)).toMatchObject({ cells: [{ index: 0 }, { index: 1 }] });
    expect([upload.byteLength, labels.byteLength]).toEqual([0, 0]);
  });
});

describe.each([0, 1, 3])("a service with %i reading threads", (workers) => {
  // One service for all tests, because starting threads takes most of the time.
  const folder = makeFolder(afterAll);
  let service: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    service = await open(folder, workers);
  });
  afterAll(() => service.close());

  it("sees acknowledged writes from any thread", async () => {
    const { ask } = service;
    const before = await ask.stats();
    for (let round = 0; round < 5; round += 1) {
      const code = `zebra${round}.fit(X, y)`;
      await ask.upload([file("a", [code])]);
      const found = await Promise.all(
        Array.from({ length: 6 }, (_, at) => ask.search({ text: `zebra${round} ${"x".repeat(at)}`, k: 1 })),
      );
      expect(found.map(({ cells }) => cells[0]?.code)).toEqual(Array(6).fill(code));
      expect((await ask.getCell(cellId(code), { offset: 0, limit: 1 })).count).toBe(1);
    }
    await ask.deleteNotebook(notebookId("a"));
    const left = await Promise.all(
      Array.from({ length: 6 }, (_, at) => ask.search({ text: `zebra4 ${"x".repeat(at)}`, k: 1 })),
    );
    expect(left.map(({ cells }) => cells)).toEqual(Array(6).fill([]));
    expect(await ask.stats()).toEqual(before);
  });

  it("passes on errors with all details, and feedback on answers of a thread", async () => {
    const { ask } = service;
    await ask.upload([file("b", ["model.fit(X, y)\nmodel.score(X, y)"])]);
    const wrong = await ask.search({ text: "fit", k: 1, label: "nonsense" }).catch((error) => error);
    expect([wrong instanceof RecommenderError, wrong.code, wrong.problems.length]).toEqual([true, "INPUT_INVALID", 1]);
    await expect(ask.deleteNotebook("0".repeat(64))).rejects.toMatchObject({ code: "NOT_FOUND" });
    const { id, recommendations } = await ask.recommend({ code: "model.fit(X, y)", k: 1, mode: "similar" });
    expect(recommendations.length).toBe(1);
    ask.feedback.add({ recommendation: id, rank: 1, event: "accepted" });
    expect(ask.feedback.summary().events).toEqual({ shown: 0, accepted: 1, edited: 0, dismissed: 0 });
    expect(await ask.ready()).toEqual({ store: "ok", model: "ok" });
  });

  it("stops working for a client that disconnects", async () => {
    const { ask } = service;
    await ask.upload([file("c", ["model.fit(X, y)"])]);
    const gone = new AbortController();
    const asked = Array.from({ length: 20 }, (_, at) => ask.search({ text: `fit ${at}`, k: 1 }, gone.signal));
    gone.abort(new Error("gone"));
    const reasons = await Promise.allSettled(asked);
    expect(new Set(reasons.map((each) => (each.status === "rejected" ? String(each.reason) : "answered")))).toEqual(
      new Set(["Error: gone"]),
    );
    expect((await ask.search({ text: "fit", k: 1 })).cells.length).toBe(1);
  });
});

describe("chooseWorkers", () => {
  it.each([
    [{ embedder: "default" as const, workers: 7 }, 1_000_000, 7],
    [{ embedder: "default" as const }, 300_001, 1],
    [{ embedder: "codebert" as const }, 10, 1],
    [{ embedder: "default" as const }, 4_999, 1],
    [{ embedder: "default" as const }, 5_000, Math.min(4, availableParallelism())],
    [{ embedder: "default" as const }, 300_000, Math.min(4, availableParallelism())],
  ])("for %j and %i cells returns %i workers", (config, cells, expected) => {
    expect(chooseWorkers(config, cells)).toBe(expected);
  });
});

describe("a service with reading threads", () => {
  it("reports an index that cannot be settled, and keeps answering", async () => {
    const folder = makeFolder();
    const config = parseConfig({ CELREC_DATA: folder, CELREC_EMBEDDER: "lexical", CELREC_WORKERS: "1" });
    const troubles: unknown[] = [];
    const service = await openService(
      config,
      { activity: "celrec test", hold: "call" },
      { onSettleError: (error) => troubles.push(error), settleAfterMs: 50 },
    );
    onTestFinished(() => service.close());
    // The settle lock cannot be taken.
    mkdirSync(join(folder, "settle.lock"));
    await service.ask.upload([file("a", ["zebra.fit(X, y)"])]);
    await vi.waitFor(() => expect(troubles).toHaveLength(1), { timeout: 20_000 });
    expect(String(troubles[0])).toContain(folder);
    expect((await service.ask.search({ text: "zebra", k: 1 })).cells).toHaveLength(1);
  });
});
