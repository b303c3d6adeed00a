import { describe, expect, it } from "vitest";
import { RecommenderError } from "../../src/errors.js";
import { LABELS } from "../../src/label/labeller.js";
import { cellId } from "../../src/notebook/extract.js";
import { idOf, ipynb, type Loose, problemOf, startService, upload } from "./service.js";

const READ = 'df = pd.read_csv("a.csv")';
const FIT = "model.fit(X, y)";

describe("/v1/labels", () => {
  it("labels code, whole or half typed", async () => {
    const service = await startService();
    for (const partial of [false, true]) {
      const { status, body } = await service.call("POST", "/v1/labels", { code: READ, partial });
      expect(status).toBe(200);
      expect(Object.keys(body)).toEqual(["primary", "labels", "probabilities"]);
      expect(body.primary).toBe("ingest_data");
      expect(body.labels.map(({ label }: { label: string }) => label)).toEqual(["ingest_data"]);
      expect(Object.keys(body.probabilities)).toEqual([...LABELS]);
      expect(body.labels[0].probability).toBe(body.probabilities.ingest_data);
    }
  });

  it("labels the code cells of a notebook, each under its index", async () => {
    const service = await startService();
    const notebook = ipynb([READ, FIT]) as { cells: object[] };
    notebook.cells.splice(1, 0, { cell_type: "markdown", source: "# Title" });
    const { status, body } = await service.call("POST", "/v1/labels", { notebook });
    expect(status).toBe(200);
    expect(body.cells.map(({ index, primary }: Loose) => [index, primary])).toEqual([
      [0, "ingest_data"],
      [2, "train_model"],
    ]);
  });

  it("rejects files that are not notebooks, not Python, or too large", async () => {
    const service = await startService();
    const label = async (notebook: object) => problemOf(await service.call("POST", "/v1/labels", { notebook }));
    expect((await label({})).status).toBe(422);
    expect(await label(ipynb([], { kernelspec: { language: "R" } }))).toEqual({
      status: 422,
      detail: "The notebook was rejected: a notebook in R, not Python",
    });
    expect((await label(ipynb(Array(5001).fill("x")))).status).toBe(413);
    expect(problemOf(await service.call("POST", "/v1/labels", { code: "x".repeat(262_145) })).status).toBe(413);
  });

  it("counts the cells of each label", async () => {
    const service = await startService();
    await upload(service, "a", [READ, FIT, READ]);
    const counted = LABELS.map((label) => ({
      label,
      cells: label === "ingest_data" || label === "train_model" ? 1 : 0,
    }));
    expect((await service.call("GET", "/v1/labels")).body).toEqual({ labels: counted });
  });
});

describe("GET /v1/cells/{id}", () => {
  it("gives a cell and its occurrences, by name", async () => {
    const service = await startService();
    await upload(service, "b", [READ]);
    await upload(service, "a", [FIT, `${READ}\n`]);
    const { status, body } = await service.call("GET", `/v1/cells/${cellId(READ)}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: cellId(READ),
      code: READ,
      clean: READ,
      labels: ["ingest_data"],
      primary: "ingest_data",
      count: 2,
      occurrences: [
        { notebook: { id: idOf("a"), source: "upload", name: "a" }, cellIndex: 1 },
        { notebook: { id: idOf("b"), source: "upload", name: "b" }, cellIndex: 0 },
      ],
    });
  });

  it("gives the occurrences a page at a time", async () => {
    const service = await startService();
    await upload(service, "a", [FIT, READ, FIT, FIT]);
    const page = async (query: string) => {
      const { body } = await service.call("GET", `/v1/cells/${cellId(FIT)}?${query}`);
      return [body.count, body.occurrences.map(({ cellIndex }: Loose) => cellIndex)];
    };
    expect(await page("limit=2")).toEqual([3, [0, 2]]);
    expect(await page("offset=2&limit=2")).toEqual([3, [3]]);
    expect(await page("offset=9")).toEqual([3, []]);
    for (const query of ["limit=0", "limit=1001", "offset=-1", "offset=x"])
      expect((await service.call("GET", `/v1/cells/${cellId(FIT)}?${query}`)).status).toBe(400);
  });

  it("answers 404 to an unknown cell", async () => {
    const service = await startService();
    expect(problemOf(await service.call("GET", `/v1/cells/${cellId("x")}`))).toEqual({
      status: 404,
      detail: `There is no cell ${cellId("x")} in the index.`,
    });
  });
});

describe("the index as a whole", () => {
  it("reports its content and its embedder", async () => {
    const service = await startService();
    await upload(service, "a", [READ, READ]);
    expect(await service.stats()).toEqual({
      cells: 1,
      notebooks: 1,
      occurrences: 2,
      labels: { ...Object.fromEntries(LABELS.map((label) => [label, 0])), ingest_data: 1 },
      embedder: { id: service.deps.embedder.id, dimensions: service.deps.embedder.dimensions },
      labeller: service.deps.labeller.id,
      store: { name: "embedded", stalenessMs: 0 },
    });
  });

  it("is emptied by DELETE /v1/index", async () => {
    const service = await startService();
    await upload(service, "a", [READ]);
    expect((await service.call("DELETE", "/v1/index")).status).toBe(204);
    expect(await service.stats()).toMatchObject({ cells: 0, notebooks: 0, occurrences: 0 });
    expect((await upload(service, "a", [READ])).body.notebooks[0]).toMatchObject({ new: 1, replaced: false });
  });
});

describe("health", () => {
  it("is alive and ready", async () => {
    const service = await startService();
    expect(await service.call("GET", "/healthz")).toMatchObject({ status: 200, body: { status: "ok" } });
    expect(await service.call("GET", "/readyz")).toMatchObject({
      status: 200,
      body: { status: "ready", store: "ok", model: "ok" },
    });
  });

  it("is alive but not ready if store or model are not, and names no folder", async () => {
    const service = await startService({}, ({ store, embedder }) => ({
      store: {
        ...store,
        ready: () => Promise.reject(new RecommenderError("STORE_UNAVAILABLE", "The store in /data is away.")),
      },
      embedder: { ...embedder, embed: () => Promise.reject(new RecommenderError("MODEL_UNAVAILABLE", "No model.")) },
    }));
    expect((await service.call("GET", "/healthz")).status).toBe(200);
    const { status, headers, body } = await service.call("GET", "/readyz");
    expect([status, headers.get("retry-after")]).toEqual([503, "5"]);
    expect(body).toEqual({ status: "not ready", store: "STORE_UNAVAILABLE", model: "MODEL_UNAVAILABLE" });
    expect(service.logged).toEqual([
      { values: { code: "STORE_UNAVAILABLE", detail: "The store in /data is away." }, message: "not ready" },
      { values: { code: "MODEL_UNAVAILABLE", detail: "No model." }, message: "not ready" },
    ]);
  });
});

describe("access", () => {
  const TOKEN = "a-token-of-24-characters";

  it("answers 401 without the token or with a wrong one, before it looks at the body", async () => {
    const service = await startService({ CELREC_TOKEN: TOKEN });
    for (const authorization of [undefined, "Bearer wrong", `Basic ${TOKEN}`, TOKEN, "Bearer "]) {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      const answer = await service.call("POST", "/v1/labels", "{", headers);
      expect(problemOf(answer)).toEqual({
        status: 401,
        detail: "The token is missing or wrong; send Authorization: Bearer TOKEN.",
      });
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    }
    expect((await service.call("DELETE", "/v1/index")).status).toBe(401);
  });

  it("answers with the right token, and reports its health without one", async () => {
    const service = await startService({ CELREC_TOKEN: TOKEN });
    for (const scheme of ["Bearer", "bearer"]) {
      const { status } = await service.call("GET", "/v1/stats", undefined, { authorization: `${scheme} ${TOKEN}` });
      expect(status).toBe(200);
    }
    expect((await service.call("GET", "/healthz")).status).toBe(200);
    expect((await service.call("GET", "/readyz")).status).toBe(200);
  });
});
