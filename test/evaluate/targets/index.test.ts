import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createBaseline } from "../../../src/evaluate/targets/baseline.js";
import { createTarget, type TargetDeps } from "../../../src/evaluate/targets/index.js";
import { makeFolder } from "../../http/service.js";
import { failureOf, send, startServer } from "./servers.js";

const own = { ...createBaseline("random"), name: "own" };
const deps: TargetDeps = { own: () => own, reset: false, env: {}, request: { collapse: false } };
const nameOf = async (text: string | undefined) => (await createTarget(text, deps)).name;

describe("createTarget", () => {
  it("takes this recommender if nothing is named", async () => {
    expect([await nameOf(undefined), await nameOf(""), await nameOf(" ")]).toEqual(["own", "own", "own"]);
  });

  it("takes a baseline, a URL or a file", async () => {
    const path = join(makeFolder(), "mine.json");
    const recommend = { steps: [{ url: "http://x" }], hits: "" };
    writeFileSync(
      path,
      JSON.stringify({ start: { command: ["x"] }, upload: { steps: [{ url: "http://x" }] }, recommend }),
    );
    expect(await nameOf("baseline:bm25")).toBe("baseline:bm25");
    expect(await nameOf("https://host:8787/prefix/")).toBe("https://host:8787/prefix");
    expect(await nameOf(path)).toBe("mine.json");
  });

  it.each(["bm25", "baseline", "no-such.yaml", "package.json/", "ftp://me:hunter2@host", "README.md", "http:/x"])(
    "says what is possible instead of %s",
    async (text) => {
      const { code, message } = await failureOf(() => createTarget(text, deps));
      expect(code).toBe("INPUT_INVALID");
      expect(message).toContain(
        "give baseline:bm25, baseline:bm25-context, baseline:popular, baseline:random, baseline:ret-train, baseline:ret-context, openai:MODEL, the http or https URL of a celrec server, or the path of a target file (.yaml, .yml, .json).",
      );
      expect(message).not.toContain("hunter2");
    },
  );

  it("lists the baselines", async () => {
    const { code, message } = await failureOf(() => createTarget("baseline:none", deps));
    expect(code).toBe("INPUT_INVALID");
    expect(message).toContain("baseline:popular");
  });

  it("rejects a folder", async () => {
    const folder = join(makeFolder(), "a.yaml");
    mkdirSync(folder);
    expect((await failureOf(() => createTarget(folder, deps))).code).toBe("INPUT_INVALID");
  });

  it("reports the first failed question of each kind", async () => {
    const statuses = [500, 404, 500, 404, 502];
    const { url } = await startServer((_, response) => send(response, statuses.shift()!, "no"));
    const told: string[] = [];
    const target = await createTarget(url, { ...deps, onFault: (message) => told.push(message) });
    for (const _ of [...statuses]) await failureOf(() => target.recommend({ code: "x", k: 3 }));
    expect(told).toEqual(["POST /v1/recommendations answered 500: no", "POST /v1/recommendations answered 404: no"]);
  });
});
