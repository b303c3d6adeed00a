import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ROUTES } from "../../src/http/routes.js";
import { startService } from "./service.js";

const committed = JSON.parse(readFileSync("docs/openapi.json", "utf8"));

describe("the API document", () => {
  it("equals the committed file; npm run build && npm run api writes it", async () => {
    const service = await startService();
    const { status, body } = await service.call("GET", "/openapi.json");
    expect(status).toBe(200);
    expect(body).toEqual(committed);
  });

  it("has a row with a unique name for every route", () => {
    const operations = Object.entries(committed.paths).flatMap(([path, methods]) =>
      Object.entries(methods as Record<string, { operationId: string }>).map(([method, { operationId }]) => [
        method,
        path,
        operationId,
      ]),
    );
    expect(operations.toSorted()).toEqual(ROUTES.map(({ method, path, name }) => [method, path, name]).toSorted());
    expect(new Set(ROUTES.map(({ name }) => name)).size).toBe(ROUTES.length);
  });

  it("has examples that work", async () => {
    const service = await startService();
    const examples = ROUTES.filter(({ example }) => example !== undefined);
    expect(examples.map(({ name }) => name)).toEqual([
      "recommend",
      "complete",
      "search",
      "findSimilar",
      "label",
      "upload",
      "mcp",
    ]);
    for (const { method, path, example } of examples) {
      const { status } = await service.call(
        method.toUpperCase(),
        `${path}${path === "/v1/notebooks" ? "?name=a" : ""}`,
        example,
      );
      expect([path, status]).toEqual([path, path === "/v1/notebooks" ? 201 : 200]);
    }
  });

  it("names every limit", () => {
    const text = JSON.stringify(committed);
    for (const limit of ["25 MB", "8 MB elsewhere", "5,000 cells", "256 KB", "1 MB", "2 MB of code"])
      expect(text).toContain(limit);
    const { anyOf } = committed.paths["/v1/recommendations"].post.requestBody.content["application/json"].schema;
    expect(anyOf[0].properties).toMatchObject({
      k: { type: "integer", minimum: 1, maximum: 100, default: 3 },
      context: { properties: { before: { maxItems: 1000 }, markdown: { maxLength: 65536 } } },
      exclude: { properties: { notebooks: { maxItems: 1000 } } },
    });
    expect(anyOf[0].additionalProperties).toBe(false);
  });
});

describe("/docs", () => {
  it("shows every call, and loads no external resources", async () => {
    const service = await startService();
    const { status, headers, body } = await service.call("GET", "/docs");
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    for (const { method, path, name } of ROUTES) {
      expect(body).toContain(`<section id="${name}"`);
      expect(body).toContain(
        `<span class="method ${method}">${method}</span> <code>${path.replaceAll("/", "/<wbr>")}</code>`,
      );
    }
    expect(body).not.toMatch(/<script(?! type="module" src="docs.js">)|https?:\/\/(?!127)|style=|onclick/);
  });
});
