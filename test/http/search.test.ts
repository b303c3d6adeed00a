import { describe, expect, it } from "vitest";
import { cellId } from "../../src/notebook/extract.js";
import { idOf, type Loose, problemOf, startService, upload } from "./service.js";

const READ = 'df = pd.read_csv("a.csv")';
const FIT = "model.fit(X, y)";

describe("POST /v1/search", () => {
  it("finds cells by plain words", async () => {
    const service = await startService();
    await upload(service, "a", [READ, FIT, READ]);
    const { status, body } = await service.call("POST", "/v1/search", { text: "read a csv" });
    expect(status).toBe(200);
    const [{ score, ...first }] = body.cells;
    expect(score).toBeGreaterThan(0);
    expect(first).toEqual({
      rank: 1,
      id: cellId(READ),
      code: READ,
      labels: ["ingest_data"],
      occurrences: 2,
      notebook: { id: idOf("a"), source: "upload", name: "a", cellIndex: 0 },
    });
    const find = async (request: object) =>
      (await service.call("POST", "/v1/search", request)).body.cells.map(({ code }: Loose) => code);
    expect(await find({ text: "fit model", k: 1 })).toEqual([FIT]);
    expect(await find({ text: "fit model read", label: "ingest_data" })).toEqual([READ]);
    expect(await find({ text: "nothing of this" })).toEqual([]);
    expect(await find({ text: "" })).toEqual([]);
    expect(problemOf(await service.call("POST", "/v1/search", { text: "x", label: "y" })).status).toBe(400);
    expect(problemOf(await service.call("POST", "/v1/search", { text: "x".repeat(10_001) })).status).toBe(400);
  });

  it("lists the cells of a label by how typical they are, and not by the words of its name", async () => {
    const service = await startService();
    const typical = ["a", "b", "c", "d"].map((name) => `${name}.fit(X_train, y_train)`);
    const named = 'train_model = "train model"\ntrain_model.fit(train, model)';
    await upload(service, "a", [named, ...typical]);
    const { body } = await service.call("POST", "/v1/search", { text: "", label: "train_model" });
    const codes: string[] = body.cells.map(({ code }: Loose) => code);
    expect(codes.slice(0, 4).toSorted()).toEqual(typical);
    expect(codes[4]).toBe(named);
  });
});
