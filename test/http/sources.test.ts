import { describe, expect, it } from "vitest";
import { sourceId } from "../../src/notebook/extract.js";
import { idOf, ipynb, problemOf, type Service, startService } from "./service.js";

const READ = 'df = pd.read_csv("train.csv")';
const FIT = "model.fit(X_train, y_train)";
const PLOT = "sns.heatmap(df.corr(), annot=True)";

async function fill(service: Service): Promise<void> {
  const upload = (source: string, name: string, cells: string[]) =>
    service.call("POST", `/v1/notebooks?source=${source}&name=${name}`, ipynb(cells));
  await upload("ours", "a.ipynb", [READ, FIT]);
  await upload("ours", "b.ipynb", [READ, PLOT]);
  await upload("theirs", "a.ipynb", [READ]);
}

describe("sources", () => {
  it("are listed, and forgotten one by one", async () => {
    const service = await startService();
    expect((await service.call("GET", "/v1/sources")).body).toEqual({ sources: [] });
    await fill(service);
    const unknown = { skipped: 0, lastSync: null, rejected: null };
    const theirs = { id: sourceId("theirs"), source: "theirs", notebooks: 1, cells: 1, ...unknown };
    expect((await service.call("GET", "/v1/sources")).body).toEqual({
      sources: [{ id: sourceId("ours"), source: "ours", notebooks: 2, cells: 4, ...unknown }, theirs],
    });
    expect((await service.call("DELETE", `/v1/sources/${sourceId("ours")}`)).status).toBe(204);
    expect((await service.call("GET", "/v1/sources")).body).toEqual({ sources: [theirs] });
    expect(await service.stats()).toMatchObject({ cells: 1, notebooks: 1 });
    const again = await service.call("DELETE", `/v1/sources/${sourceId("ours")}`);
    expect(problemOf(again)).toEqual({
      status: 404,
      detail: `There is no source ${sourceId("ours")}; GET /v1/sources or celrec sources lists them.`,
    });
    expect((await service.call("DELETE", "/v1/sources/ours")).status).toBe(400);
  });

  it("restrict a recommendation and a search", async () => {
    const service = await startService();
    await fill(service);
    const places = async (path: string, request: object) => {
      const { body } = await service.call("POST", path, request);
      const hits = body.recommendations ?? body.cells;
      return hits.map(({ notebook }: { notebook: { source: string; name: string } }) => notebook.source);
    };
    const asked = { code: "pd.read_csv(", mode: "similar", k: 9 };
    expect((await places("/v1/recommendations", asked)).length).toBe(3);
    expect(await places("/v1/recommendations", { ...asked, sources: ["theirs"] })).toEqual(["theirs"]);
    expect(await places("/v1/recommendations", { ...asked, sources: ["nobody's"] })).toEqual([]);
    expect(await places("/v1/recommendations", { ...asked, minVotes: 1 })).toEqual([]);
    expect(await places("/v1/search", { text: "read csv", sources: ["theirs"] })).toEqual(["theirs"]);
    const wrong = await service.call("POST", "/v1/recommendations", { ...asked, sources: "ours", minVotes: -1 });
    expect(problemOf(wrong).errors).toEqual([
      { pointer: "/sources", message: 'must be a list of at most 1,000 names of sources, not "ours"' },
      { pointer: "/minVotes", message: "must be an integer from 0 to 1,000,000,000, not -1" },
    ]);
  });
});

describe("POST /v1/similar-notebooks", () => {
  it("finds the notebooks most like a stored one, and never itself", async () => {
    const service = await startService();
    await fill(service);
    const { status, body } = await service.call("POST", "/v1/similar-notebooks", { notebook: idOf("b.ipynb", "ours") });
    expect(status).toBe(200);
    const names = body.notebooks.map(({ rank, source, name }: Record<string, unknown>) => [rank, source, name]);
    expect(names.toSorted()).toEqual([
      [1, "theirs", "a.ipynb"],
      [2, "ours", "a.ipynb"],
    ]);
    expect(body.notebooks[0].shared).toEqual([{ cellIndex: 0, theirs: 0, likeness: 1 }]);
  });

  it("takes the JSON of a notebook", async () => {
    const service = await startService();
    await fill(service);
    const { body } = await service.call("POST", "/v1/similar-notebooks", { notebook: ipynb([READ, FIT]), k: 1 });
    expect(body.notebooks).toMatchObject([{ rank: 1, source: "ours", name: "a.ipynb", inOrder: 2, theirSteps: [] }]);
  });

  it("reports the error", async () => {
    const service = await startService();
    const ask = (body: object) => service.call("POST", "/v1/similar-notebooks", body);
    expect(problemOf(await ask({ notebook: idOf("no.ipynb") })).status).toBe(404);
    expect(problemOf(await ask({ notebook: {} })).status).toBe(422);
    expect(problemOf(await ask({ notebook: "a.ipynb" })).status).toBe(400);
    expect(problemOf(await ask({})).errors).toEqual([{ pointer: "/notebook", message: "is missing" }]);
    expect(problemOf(await ask({ notebook: ipynb(["a"]), k: 0 })).status).toBe(400);
    expect(problemOf(await ask({ notebook: ipynb(Array.from({ length: 5_001 }, (_, at) => `a${at}`)) })).status).toBe(
      413,
    );
  });
});
