import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createClient, type ProblemError } from "../../src/ask/client.js";
import { ROUTES } from "../../src/http/routes.js";
import { cellId } from "../../src/notebook/extract.js";
import { idOf, ipynb, startService } from "../http/service.js";

const FIT = "model.fit(X, y)";

describe("createClient", () => {
  it("has a method for every route except /metrics and /mcp, and two methods for uploads", () => {
    const client = createClient({ url: "http://127.0.0.1:1" });
    const { uploadFiles: _, ...calls } = client;
    expect(Object.keys(calls).toSorted()).toEqual(
      ROUTES.map(({ name }) => name)
        .filter((name) => name !== "metrics" && name !== "mcp")
        .toSorted(),
    );
  });

  it("imports no modules, so it runs in a browser", () => {
    const imports = readFileSync("src/ask/client.ts", "utf8").match(/^import (?!type).*$/gm) ?? [];
    expect(imports).toEqual([]);
  });

  it("calls the service", async () => {
    const token = "0123456789abcdef";
    const service = await startService({ CELREC_TOKEN: token });
    const client = createClient({ url: `${service.url}/`, token });
    expect((await client.upload("a b.ipynb", ipynb([FIT]), { source: "mine" })).notebooks[0]).toMatchObject({
      source: "mine",
      name: "a b.ipynb",
      new: 1,
    });
    const id = idOf("a b.ipynb", "mine");
    expect((await client.recommend({ code: "model.fit(", k: 1 })).recommendations[0]!.code).toBe(FIT);
    expect(await client.label({ code: FIT })).toMatchObject({ primary: "train_model" });
    expect((await client.listNotebooks({ limit: 1 })).notebooks.map((each) => each.id)).toEqual([id]);
    expect((await client.getNotebook(id)).cells.length).toBe(1);
    expect((await client.getCell(cellId(FIT), { limit: 1 })).count).toBe(1);
    expect((await client.countLabels()).labels.length).toBe(8);
    expect(await client.health()).toEqual({ status: "ok" });
    expect((await client.ready()).status).toBe("ready");
    const files = [new File([JSON.stringify(ipynb(["x = 1"]))], "b.ipynb"), new File(["# %%\ny = f(2)\n"], "c.py")];
    const sent = await client.uploadFiles(files, { source: "mine" });
    expect(sent.notebooks.map(({ source, name, new: added }) => [source, name, added])).toEqual([
      ["mine", "b.ipynb", 1],
      ["mine", "c.py", 1],
    ]);
    expect(await client.deleteNotebook(id)).toBeUndefined();
    expect(await client.clear()).toBeUndefined();
    expect((await client.stats()).cells).toBe(0);
  });

  it.each(["../index", "..%2Findex", "..\\index", "..", "a?b", "a#b"])(
    "encodes the id %s in the path, so that it does not lead to another route",
    async (id) => {
      const service = await startService();
      const client = createClient({ url: service.url });
      await client.upload("a.ipynb", ipynb([FIT]));
      const statusOf = (call: Promise<unknown>) => call.then(() => 200).catch((error) => error.problem.status);
      expect(await statusOf(client.deleteNotebook(id))).toBe(id === ".." ? 404 : 400);
      expect(await statusOf(client.forgetSource(id))).toBe(id === ".." ? 404 : 400);
      expect(await statusOf(client.getNotebook(id))).toBe(id === ".." ? 404 : 400);
      expect(await statusOf(client.getCell(id))).toBe(id === ".." ? 404 : 400);
      expect((await client.stats()).cells).toBe(1);
    },
  );

  it("rejects with the message of the service", async () => {
    const service = await startService();
    const client = createClient({ url: service.url });
    const error: ProblemError = await client.recommend({ code: "x", k: 0 }).catch((reason) => reason);
    expect(error.message).toBe("`k` must be an integer from 1 to 100, not 0");
    expect(error.problem).toMatchObject({
      status: 400,
      errors: [{ pointer: "/k", message: "must be an integer from 1 to 100, not 0" }],
    });
    const gone = client.recommend({ code: "x" }, { signal: AbortSignal.abort() });
    await expect(gone).rejects.toMatchObject({ name: "AbortError" });
  });

  it("says how many seconds to wait", async () => {
    const service = await startService({ CELREC_RATE: "1" });
    const client = createClient({ url: service.url });
    await client.stats();
    const error: ProblemError = await client.stats().catch((reason) => reason);
    expect(error.problem.status).toBe(429);
    expect(error.retryAfter).toBeGreaterThanOrEqual(1);
    expect(error.retryAfter).toBeLessThanOrEqual(60);
  });

  it("says that the service is stopping", async () => {
    const service = await startService();
    service.stopTaking();
    const client = createClient({ url: service.url });
    const error: ProblemError = await client.ready().catch((reason) => reason);
    expect([error.message, error.problem.status, error.retryAfter]).toEqual([
      "The service is stopping: store ok, model ok.",
      503,
      5,
    ]);
  });

  it("reports the answer of a proxy", async () => {
    const fetch = async () => new Response("<h1>no</h1>", { status: 502, statusText: "Bad Gateway" });
    const error: ProblemError = await createClient({ url: "http://a.example", fetch })
      .stats()
      .catch((reason) => reason);
    expect([error.message, error.retryAfter]).toEqual(["The service answered 502 Bad Gateway.", undefined]);
  });
});
