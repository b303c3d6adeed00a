import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { chooseModelFolder, removeOwnModel, writeOwnModel } from "../../src/recommend/own-model.js";
import { createReranker } from "../../src/recommend/rerank.js";
import { readRerankModel } from "../../src/recommend/rerank-model.js";

const SHIPPED = "models/rerank";
const data = mkdtempSync(join(tmpdir(), "celrec-own-model-"));
afterAll(() => rmSync(data, { recursive: true }));

describe("a model beside an index", () => {
  it("is the one that ships until another was trained, and again after that was removed", async () => {
    expect(chooseModelFolder(data, SHIPPED)).toBe(SHIPPED);
    const shipped = await readRerankModel(SHIPPED);
    const own = { ...shipped, weights: { ...shipped.weights, complete: { cosine: 2 } } };
    const folder = writeOwnModel(data, own, SHIPPED);
    expect(chooseModelFolder(data, SHIPPED)).toBe(folder);
    expect(await readRerankModel(folder)).toEqual(own);
    // Its checksums are right, and the word frequencies are there.
    expect((await createReranker({ folder })).rerank).toBeTypeOf("function");
    expect([removeOwnModel(data), removeOwnModel(data)]).toEqual([true, false]);
    expect(chooseModelFolder(data, SHIPPED)).toBe(SHIPPED);
  });
});
