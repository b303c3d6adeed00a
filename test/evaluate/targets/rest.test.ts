import { describe, expect, it } from "vitest";
import type { Target } from "../../../src/evaluate/target.js";
import { createRestTarget, type RestTargetOptions } from "../../../src/evaluate/targets/rest.js";
import { startService, upload } from "../../http/service.js";
import { failureOf, findDeadUrl, notebook, send, startServer } from "./servers.js";

const request = { filter: "off", collapse: false, mode: "similar" } as const;
const open = (url: string, options: Partial<RestTargetOptions> = {}): Target =>
  createRestTarget({ url, reset: false, timeoutMs: 2_000, request, ...options });
const question = { code: "df.head()", k: 3 };

describe("a celrec server", () => {
  it("receives notebooks and answers queries", async () => {
    const service = await startService();
    const target = open(service.url);
    await target.prepare();
    await target.add([
      notebook("mutants/a.ipynb", "df = pd.read_csv('a')", "df.head()"),
      notebook("b", "plt.plot(x)\n"),
    ]);
    const { hits, junk, took } = await target.recommend({ code: "df.head()", k: 2 });
    expect(hits.map(({ code }) => code)).toEqual(["df.head()", "df = pd.read_csv('a')"]);
    const direct = await service.call("POST", "/v1/recommendations", { ...request, code: "df.head()", k: 2 });
    expect(hits.map(({ score }) => score)).toEqual(
      direct.body.recommendations.map(({ score }: { score: number }) => score),
    );
    expect(junk).toBe(0);
    expect(Object.keys(took)).toEqual(expect.arrayContaining(["label", "embed", "search", "total"]));
    expect(took.total).toBeGreaterThan(0);
    expect(await service.stats()).toMatchObject({ cells: 3, notebooks: 2 });
    await target.close();
  });

  it("does not collapse cells that differ only in comments", async () => {
    const service = await startService();
    const target = open(service.url);
    await target.prepare();
    await target.add([notebook("a", "x = 1", "x = 1 # one", "# two\nx = 1")]);
    expect((await target.recommend({ code: "x = 1", k: 3 })).hits).toHaveLength(3);
  });

  it("is refused if it has cells, and left unchanged", async () => {
    const service = await startService();
    await upload(service, "mine.ipynb", ["a = 1", "b = 2"]);
    const { code, message } = await failureOf(() => open(service.url).prepare());
    expect(code).toBe("TARGET_FAILED");
    expect(message).toContain(`${service.url}: it has 2 cells`);
    expect(message).toContain("--reset-target");
    expect(await service.stats()).toMatchObject({ cells: 2 });
  });

  it("is emptied on request", async () => {
    const service = await startService();
    await upload(service, "mine.ipynb", ["a = 1", "b = 2"]);
    await open(service.url, { reset: true }).prepare();
    expect(await service.stats()).toMatchObject({ cells: 0, notebooks: 0 });
  });

  it("needs its token", async () => {
    const token = "a-token-of-the-test";
    const service = await startService({ CELREC_TOKEN: token });
    const { code, message } = await failureOf(() => open(service.url, { token: "another-secret-token" }).prepare());
    expect(code).toBe("TARGET_FAILED");
    expect(message).toContain("answered 401");
    expect(message).toContain("--target-token");
    expect(message).not.toContain("another-secret-token");
    const target = open(service.url, { token });
    await target.prepare();
    await target.add([notebook("a", "x = 1")]);
    expect((await target.recommend({ code: "x = 1", k: 1 })).hits.map(({ code }) => code)).toEqual(["x = 1"]);
    expect(JSON.stringify([target.name, target.settings])).not.toContain(token);
  });

  it("gets many notebooks in requests within its limits", async () => {
    const service = await startService();
    const target = open(service.url);
    const notebooks = Array.from({ length: 600 }, (_, i) => notebook(`mutants/n${i}.ipynb`, `value_${i} = ${i}`));
    await target.prepare();
    await target.add(notebooks);
    expect(await service.stats()).toMatchObject({ cells: 600, notebooks: 600 });
  });
});

describe("completions", () => {
  it("are requested with all fields, and read as far as possible", async () => {
    const { url, asked } = await startServer((_, response) => {
      const good = { text: "head()", confidence: 0.5, kind: "line", from: "index", cells: [] };
      send(response, 200, { completions: [good, { text: 5 }, { text: "tail()" }], took: { search: 1 } });
    });
    const query = { prefix: "df.", suffix: ")", k: 3, context: { before: ["a"], markdown: "M" } };
    const { completions, junk, took } = await open(url).complete!(query);
    expect(completions).toEqual([
      { text: "head()", confidence: 0.5, kind: "line" },
      { text: "tail()", confidence: null },
    ]);
    expect([junk, Object.keys(took)]).toEqual([1, ["search", "total"]]);
    expect(asked[0]).toMatchObject({ method: "POST", path: "/v1/completions" });
    expect(JSON.parse(asked[0]!.body)).toEqual({ ...query, maxLines: 1, minConfidence: 0 });
  });

  it("come from a real service, too", async () => {
    const service = await startService();
    const query = { prefix: "df.", k: 3, context: { before: ["import pandas as pd"], markdown: "" } };
    const { completions, junk } = await open(service.url).complete!(query);
    expect([Array.isArray(completions), junk]).toEqual([true, 0]);
  });
});

describe("requests", () => {
  it("carry the settings of the run, the context and the token, below a prefix", async () => {
    const { url, asked } = await startServer((_, response) => send(response, 200, { recommendations: [] }));
    const context = { before: ["import a", "b = 1"], markdown: "# Title" };
    const settings = { filter: "soft", mode: "complete", diversity: 0.5, collapse: false } as const;
    const target = open(`${url}/user/me/proxy/`, { token: "secret-token", request: settings });
    expect(await target.recommend({ ...question, context })).toEqual({
      hits: [],
      junk: 0,
      took: { total: expect.any(Number) },
    });
    expect(asked[0]!.path).toBe("/user/me/proxy/v1/recommendations");
    expect(asked[0]!.headers.authorization).toBe("Bearer secret-token");
    expect(JSON.parse(asked[0]!.body)).toEqual({ ...settings, ...question, context });
    expect(target.settings).toEqual({ target: `${url}/user/me/proxy`, ...settings });
  });

  it("stay below the limit of a body", async () => {
    const { url, asked } = await startServer((_, response) => send(response, 201, { notebooks: [], rejected: [] }));
    const large = "x".repeat(9 * 1024 * 1024);
    await open(url).add([notebook("a", large), notebook("b", large), notebook("c", "1")]);
    expect(asked.map(({ body }) => [...body.matchAll(/filename="(\w)"/g)].map(([, name]) => name))).toEqual([
      ["a"],
      ["b", "c"],
    ]);
  });

  it.each(["ftp://x", "http://me:hunter2@x", "http://x?token=hunter2", "http://", "http://x#y"])(
    "are not sent to %s",
    async (url) => {
      const { code, message } = await failureOf(() => open(url));
      expect(code).toBe("INPUT_INVALID");
      expect(message).not.toContain("hunter2");
    },
  );
});

describe("a server that fails at the start", () => {
  const prepare = async (answer: Parameters<typeof startServer>[0]) => {
    const { url } = await startServer(answer);
    return failureOf(() => open(url, { timeoutMs: 200 }).prepare());
  };

  it("is reported if it is down", async () => {
    const url = await findDeadUrl();
    const { code, message } = await failureOf(() => open(url).prepare());
    expect(code).toBe("TARGET_FAILED");
    expect(message).toBe(
      `The target ${url}: GET /v1/stats could not be reached: connection refused. Is the server running, and is the URL right?`,
    );
  });

  it.each<[string, Parameters<typeof startServer>[0], string]>([
    ["never answers", () => {}, "did not answer within 0.2 s"],
    ["stops in the middle", (_, response) => void response.write("{"), "did not answer within 0.2 s"],
    ["hangs up", (_, response) => void response.destroy(), "could not be reached"],
    ["fails", (_, response) => send(response, 500, "oops"), "answered 500: oops"],
    ["is another program", (_, response) => send(response, 404, "<html>not here</html>"), "answered 404"],
    ["sends a page", (_, response) => send(response, 200, "<html>"), "not JSON: <html>"],
    ["has other statistics", (_, response) => send(response, 200, { cells: "3" }), "does not follow celrec's REST API"],
    ["sends nothing", (_, response) => send(response, 200, ""), "an empty answer"],
  ])("is reported if it %s", async (_, answer, expected) => {
    const { code, message } = await prepare(answer);
    expect(code).toBe("TARGET_FAILED");
    expect(message).toContain(expected);
  });

  it("is reported if it still has cells after it was emptied", async () => {
    const { url } = await startServer(({ method }, response) =>
      method === "DELETE" ? response.writeHead(204).end() : send(response, 200, { cells: 7 }),
    );
    const { message } = await failureOf(() => open(url, { reset: true }).prepare());
    expect(message).toContain("still has 7 cells");
  });

  it("is reported if it rejects notebooks", async () => {
    const rejected = [{ name: "a", reason: "a notebook in R, not Python" }];
    const { url } = await startServer((_, response) => send(response, 201, { notebooks: [], rejected }));
    const { code, message } = await failureOf(() => open(url).add([notebook("a", "1")]));
    expect(code).toBe("TARGET_FAILED");
    expect(message).toContain("rejected 1 notebooks; a: a notebook in R, not Python");
  });
});

describe("a server that gives invalid answers", () => {
  const ask = async (answer: Parameters<typeof startServer>[0]) => {
    const { url } = await startServer(answer);
    return open(url, { timeoutMs: 200, token: "secret-token" }).recommend(question);
  };

  it.each<[string, Parameters<typeof startServer>[0], string]>([
    ["never answers", () => {}, "timeouts"],
    ["stops in the middle", (_, response) => void response.write("{"), "timeouts"],
    ["hangs up", (_, response) => void response.destroy(), "errorsOther"],
    ["fails", (_, response) => send(response, 500, "oops"), "errors5xx"],
    ["is unavailable for an hour", (_, response) => send(response, 503, "", { "retry-after": "3600" }), "errors5xx"],
    ["is busy without a Retry-After", (_, response) => send(response, 429, ""), "errorsOther"],
    ["does not know the path", (_, response) => send(response, 404, {}), "errorsOther"],
    ["sends junk", (_, response) => send(response, 200, "{]"), "junk"],
    ["sends other fields", (_, response) => send(response, 200, { hits: [] }), "junk"],
    ["sends a list", (_, response) => send(response, 200, []), "junk"],
  ])("is a fault if it %s", async (_, answer, kind) => {
    expect((await failureOf(() => ask(answer))).code).toBe(kind);
  });

  it("includes its output, without the token", async () => {
    const echo = await failureOf(() => ask(({ headers }, response) => send(response, 403, headers)));
    expect(echo.message).toMatch(/^POST \/v1\/recommendations answered 403: .*Bearer \*\*\*/);
    expect(echo.message).not.toContain("secret-token");
  });

  it("returns the readable items of a list, at most k, with duplicates", async () => {
    const list = [{ code: "a", score: 0.5, confidence: 0.25 }, { code: 1 }, { code: "a", score: "x" }, { code: "b" }];
    const { hits, junk } = await ask((_, response) =>
      send(response, 200, { recommendations: list, took: { search: "fast" } }),
    );
    expect(junk).toBe(1);
    expect(hits).toEqual([
      { code: "a", score: 0.5, confidence: 0.25 },
      { code: "a", score: null, confidence: null },
    ]);
  });

  it("may give fewer than k", async () => {
    const { hits } = await ask((_, response) => send(response, 200, { recommendations: [{ code: "a" }] }));
    expect(hits).toHaveLength(1);
  });

  it("is retried a few times if it sends Retry-After", async () => {
    let failures = 2;
    const { url, asked } = await startServer((_, response) => {
      failures -= 1;
      if (failures >= 0) send(response, 503, "", { "retry-after": "0" });
      else send(response, 200, { recommendations: [{ code: "a" }] });
    });
    expect((await open(url).recommend(question)).hits.map(({ code }) => code)).toEqual(["a"]);
    expect(asked).toHaveLength(3);
  });

  it("fails after three retries, and is not waited for again until it answers", async () => {
    let busy = true;
    const { url, asked } = await startServer((_, response) =>
      busy ? send(response, 429, "", { "retry-after": "0" }) : send(response, 200, { recommendations: [] }),
    );
    const target = open(url);
    const counts: number[] = [];
    for (const isBusy of [true, true, false, true]) {
      busy = isBusy;
      await target.recommend(question).catch(() => {});
      counts.push(asked.length);
    }
    expect(counts).toEqual([4, 5, 6, 10]);
  });
});
