import { describe, expect, it } from "vitest";
import { cellId } from "../../src/notebook/extract.js";
import { strip } from "../../src/python/strip.js";
import { idOf, type Loose, problemOf, type Service, startService, upload } from "./service.js";

const READ = 'df = pd.read_csv("a.csv")';
const READ_TWIN = 'df = pd.read_csv("a.csv")  # the data';
const READ_OTHER = 'test = pd.read_csv("b.csv")\ntest = test.copy()';
const FIT = "model.fit(X, y)";
const PLAIN = "x = 1";

async function startFilled(env: Record<string, string> = {}): Promise<Service> {
  const service = await startService(env);
  await upload(service, "one.ipynb", [READ, FIT, PLAIN]);
  await upload(service, "two.ipynb", [READ_TWIN, READ_OTHER, FIT]);
  return service;
}

/**
 * Asks in mode `similar`, in which a stored cell equal to the query is also a hit. Other modes leave out cells that add
 * nothing.
 */
const ask = (service: Service, body: object) =>
  service.call("POST", "/v1/recommendations", { mode: "similar", ...body });
const codes = (answer: { body: Loose }) => answer.body.recommendations.map(({ code }: { code: string }) => code);

describe("POST /v1/recommendations", () => {
  it("answers with cells, their provenance, and the time of each stage", async () => {
    const service = await startFilled();
    const { status, body } = await ask(service, { code: FIT, k: 1 });
    expect(status).toBe(200);
    const { id, query, widened, recommendations, took } = body;
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(query.primary).toBe("train_model");
    expect(query.labels[0]).toEqual({ label: "train_model", probability: expect.any(Number) });
    expect(widened).toBe(false);
    expect(Object.values(took).every((ms) => typeof ms === "number" && ms >= 0)).toBe(true);
    expect(Object.keys(took)).toContain("total");
    const [{ score, confidence, ...first }] = recommendations;
    expect(recommendations.length).toBe(1);
    expect(typeof score).toBe("number");
    expect(confidence === null || typeof confidence === "number").toBe(true);
    expect(first).toEqual({
      rank: 1,
      id: cellId(FIT),
      code: FIT,
      matched: [{ start: 0, end: 1 }],
      insert: "",
      continuesLine: false,
      excerpt: [{ line: 0, text: FIT }],
      adapted: { code: FIT, insert: "", renamed: {} },
      labels: ["train_model"],
      occurrences: 2,
      notebook: { id: idOf("one.ipynb"), source: "upload", name: "one.ipynb", cellIndex: 1 },
    });
  });

  it("inserts nothing that the text after the cursor already contains", async () => {
    const service = await startFilled();
    const body = { code: "model.fit(", k: 1, mode: "complete" };
    const insertOf = async (suffix?: string) =>
      (await ask(service, { ...body, suffix })).body.recommendations[0].adapted.insert;
    expect(await insertOf()).toBe("X, y)");
    expect(await insertOf(")")).toBe("X, y");
    expect(await insertOf(", y)")).toBe("X");
  });

  it("returns three cells by default, and at most as many as there are", async () => {
    const service = await startFilled();
    expect((await ask(service, { code: READ })).body.recommendations.length).toBe(3);
    expect(
      (await ask(service, { code: READ, k: 100, filter: "off", collapse: false })).body.recommendations.length,
    ).toBe(5);
    expect((await ask(service, { code: READ, k: 100, filter: "off" })).body.recommendations.length).toBe(4);
  });

  it("shows only one of several cells with equal cleaned text, unless collapse is false", async () => {
    const service = await startFilled();
    const shown = codes(await ask(service, { code: READ, k: 2, filter: "strict" }));
    expect(shown.map((code: string) => strip(code).text).sort()).toEqual([READ, READ_OTHER]);
    const all = await ask(service, { code: READ, k: 3, filter: "strict", collapse: false });
    expect(codes(all).sort()).toEqual([READ, READ_TWIN, READ_OTHER].sort());
    expect(all.body.widened).toBe(false);
  });

  it("filters by the primary label, by possible labels, or not at all", async () => {
    const service = await startFilled();
    const strict = await ask(service, { code: FIT, k: 1, filter: "strict" });
    expect([codes(strict), strict.body.widened]).toEqual([[FIT], false]);
    const soft = await ask(service, { code: FIT, k: 2, filter: "soft" });
    expect(codes(soft)).toContain(PLAIN);
    const off = await ask(service, { code: FIT, k: 4, filter: "off" });
    expect([codes(off).length, off.body.widened]).toEqual([4, false]);
  });

  it("adds other cells after those that pass the filter if they are too few, and reports it", async () => {
    const service = await startFilled();
    const { body } = await ask(service, { code: FIT, k: 3, filter: "strict" });
    expect(body.widened).toBe(true);
    expect(body.recommendations.length).toBe(3);
    expect(body.recommendations[0].code).toBe(FIT);
    expect(body.recommendations.map(({ rank }: { rank: number }) => rank)).toEqual([1, 2, 3]);
  });

  it("takes a label to filter by", async () => {
    const service = await startFilled();
    const { body } = await ask(service, { code: FIT, k: 2, label: "ingest_data" });
    expect(body.recommendations.map(({ labels }: Loose) => labels.includes("ingest_data"))).toEqual([true, true]);
    expect(body.widened).toBe(false);
  });

  it("leaves out cells that only excluded notebooks contain", async () => {
    const service = await startFilled();
    const body = { code: FIT, k: 100, filter: "off", exclude: { notebooks: [idOf("one.ipynb")] } };
    const { recommendations } = (await ask(service, body)).body;
    expect(recommendations.map(({ notebook }: Loose) => notebook.name)).toEqual([
      "two.ipynb",
      "two.ipynb",
      "two.ipynb",
    ]);
    expect(recommendations.find(({ code }: Loose) => code === FIT)).toMatchObject({
      occurrences: 1,
      notebook: { name: "two.ipynb", cellIndex: 2 },
    });
    const none = { ...body, exclude: { notebooks: [idOf("one.ipynb"), idOf("two.ipynb")] } };
    expect((await ask(service, none)).body.recommendations).toEqual([]);
  });

  it("takes a stored cell as the query, and leaves out this occurrence of it", async () => {
    const service = await startFilled();
    const { status, body } = await ask(service, { notebook: idOf("one.ipynb"), cellIndex: 1, k: 100, filter: "off" });
    expect(status).toBe(200);
    expect(body.recommendations.find(({ code }: Loose) => code === FIT)).toMatchObject({
      occurrences: 1,
      notebook: { name: "two.ipynb", cellIndex: 2 },
    });
    const single = await ask(service, { notebook: idOf("one.ipynb"), cellIndex: 2, k: 100, filter: "off" });
    expect(codes(single)).not.toContain(PLAIN);
  });

  it("takes the cells above a stored one as its context", async () => {
    const service = await startFilled();
    const settings = { k: 100, mode: "next", filter: "off" };
    const position = { notebook: idOf("two.ipynb"), cellIndex: 2 };
    const exclude = { notebooks: [idOf("two.ipynb")] };
    const scores = async (body: object) => {
      const answer = await ask(service, { ...settings, exclude, ...body });
      return answer.body.recommendations.map(({ code, score }: Loose) => [code, score]);
    };
    const stored = await scores(position);
    expect(stored.length).toBe(1);
    expect(stored).toEqual(await scores({ code: FIT, context: { before: [READ_TWIN, READ_OTHER] } }));
    expect(stored).not.toEqual(await scores({ code: FIT }));
    expect(await scores({ ...position, context: { before: [] } })).toEqual(
      await scores({ code: FIT, context: { before: [] } }),
    );
  });

  it("leaves out hits below the minimum confidence", async () => {
    const service = await startFilled({ CELREC_EMBEDDER: "default" });
    const confidences = async (minConfidence?: number) =>
      (
        await ask(service, { code: FIT, k: 100, filter: "off", mode: "complete", minConfidence })
      ).body.recommendations.map(({ confidence }: Loose) => confidence);
    const all = await confidences();
    expect(all.length).toBeGreaterThan(1);
    expect(await confidences(0)).toEqual(all);
    const best = Math.max(...all);
    expect(await confidences(best)).toEqual([best]);
    expect(await confidences(1)).toEqual([]);
  });

  it("takes excluded notebooks by source and path, too", async () => {
    const service = await startFilled();
    const ids = { notebooks: [idOf("one.ipynb"), { source: "upload", path: "two.ipynb" }] };
    expect((await ask(service, { code: FIT, k: 9, exclude: ids })).body.recommendations).toEqual([]);
  });

  it("answers 404 for a missing occurrence", async () => {
    const service = await startFilled();
    expect(problemOf(await ask(service, { notebook: idOf("zz"), cellIndex: 0 }))).toEqual({
      status: 404,
      detail: `There is no notebook ${idOf("zz")} in the index.`,
    });
    expect(problemOf(await ask(service, { notebook: idOf("one.ipynb"), cellIndex: 9 }))).toEqual({
      status: 404,
      detail: "one.ipynb has no stored cell at 9; it has them at 0, 1, 2.",
    });
  });

  it("answers an empty index, an empty cell and a comment", async () => {
    const empty = await startService();
    expect((await ask(empty, { code: READ })).body).toMatchObject({ widened: false, recommendations: [] });
    const service = await startFilled();
    expect((await ask(service, { code: "" })).body).toMatchObject({ widened: false, recommendations: [] });
    expect((await ask(service, { code: "# read the csv", k: 1 })).body.recommendations.length).toBe(1);
  });

  it("filters strictly and shows every cell if the preset is the paper's", async () => {
    const service = await startService({}, ({ config }) => ({ config: { ...config, preset: "paper" } }));
    await upload(service, "one.ipynb", [READ, READ_TWIN, PLAIN]);
    const { body } = await ask(service, { code: READ, k: 2 });
    expect(codes({ body }).sort()).toEqual([READ, READ_TWIN]);
    expect(body.widened).toBe(false);
  });
});
