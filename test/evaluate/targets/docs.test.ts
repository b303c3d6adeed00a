import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { createFileTarget } from "../../../src/evaluate/targets/file/file-target.js";
import { PLACEHOLDERS } from "../../../src/evaluate/targets/file/placeholders.js";
import { targetSchema } from "../../../src/evaluate/targets/file/target-schema.js";
import { makeFolder } from "../../http/service.js";
import { notebook, send, startServer } from "./servers.js";

const docs = readFileSync("docs/guide/targets.md", "utf8");
const [first, second] = [...docs.matchAll(/```yaml\n(.*?)```/gs)].map(([, yaml]) => parse(yaml!));

describe("docs/guide/targets.md", () => {
  it("shows the example as it is", () => {
    expect(first).toEqual(parse(readFileSync("examples/targets/bm25/target.yaml", "utf8")));
  });

  it("names every field and every placeholder", () => {
    const missing = [
      ...Object.keys(targetSchema.shape).filter((name) => !docs.includes(`\`${name}`)),
      ...Object.values(PLACEHOLDERS)
        .flat()
        .filter((name) => !docs.includes(`\`{{${name}}}\``)),
    ];
    expect(missing).toEqual([]);
  });

  it("has a second example that works", async () => {
    const { url, asked } = await startServer(({ method, path, headers }, response) => {
      if (path === "/login") return send(response, 200, { access_token: "token-1" });
      if (headers.authorization !== "Bearer token-1") return send(response, 401, "");
      if (method === "POST") return send(response, 201, { query: { id: "q/1" } });
      send(response, 200, { recommendations: [{ cell: { source: ["x = 1\n", "y"] }, similarity: 0.5 }] });
    });
    const reset = { steps: [{ command: [process.execPath, "-e", ""] }] };
    const path = join(makeFolder(), "target.yaml");
    writeFileSync(path, stringify({ ...second, reset }));
    const env = { RECOMMENDER_URL: url, RECOMMENDER_PASSWORD: "password" };
    const target = createFileTarget(path, { reset: true, env });
    await target.prepare();
    await target.add([notebook("a", "x = 1\ny")]);
    const { hits } = await target.recommend({ code: "x", k: 3 });
    expect(hits).toEqual([{ code: "x = 1\ny", score: 0.5, confidence: null }]);
    expect(asked.map((one) => `${one.method} ${one.path}`)).toEqual([
      "POST /login",
      "POST /notebooks",
      "POST /queries",
      "GET /queries/q%2F1/cells/0/recommendations?count=3",
    ]);
  });
});

describe("the pages of 10 minutes", () => {
  const page = readFileSync("docs/guide/evaluate-function.md", "utf8");

  it("have target files of the right form", () => {
    const all = page + readFileSync("docs/guide/evaluate-rest.md", "utf8");
    const found = [...all.matchAll(/```yaml\n(.*?)```/gs)].map(([, yaml]) => parse(yaml!));
    expect(found.map((each) => targetSchema.safeParse(each).error)).toEqual([undefined, undefined, undefined]);
    expect(found[0]).toEqual(parse(readFileSync("examples/targets/function/target.yaml", "utf8")));
  });

  it("show a Python function that works", async () => {
    const [, shown] = /```python\n(.*?)```/s.exec(page)!;
    expect(readFileSync("examples/targets/function/recommend.py", "utf8")).toContain(shown!);
    const target = createFileTarget("examples/targets/function/target.yaml", {
      env: { PATH: process.env.PATH },
      reset: false,
    });
    await target.prepare();
    const context = { before: ["import os", "x = 1"], markdown: "" };
    const codeOf = async (code: string) => (await target.recommend({ code, k: 3, context })).hits[0]?.code;
    expect(await codeOf("df = pd.read_csv('a.csv')")).toBe("df = pd.read_csv('a.csv')\ndf.head()");
    expect(await codeOf("y = 2")).toBe("x = 1");
  });
});
