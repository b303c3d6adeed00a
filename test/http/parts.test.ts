import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import express, { type RequestHandler } from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { RecommenderError } from "../../src/errors.js";
import { createAdmission } from "../../src/http/admission.js";
import { bearerOf, createAuthorize, createTokens, limitRate } from "../../src/http/authorize.js";
import { createOriginCheck } from "../../src/http/check-origin.js";
import { renderDocs } from "../../src/http/docs-page.js";
import { createErrorHandler } from "../../src/http/error-handler.js";
import { createMetrics } from "../../src/http/metrics.js";
import { bodyOf, contentType, jsonBytes } from "../../src/http/read-body.js";

const sha = (text: string) => createHash("sha256").update(text).digest("hex");

/** A server with these handlers; then a last handler answers `ok`. */
async function serve(...handlers: RequestHandler[]) {
  const logged: unknown[] = [];
  const app = express();
  app.use((_request, response, next) => {
    response.setHeader("x-request-id", "r1");
    next();
  });
  for (const handler of handlers) app.use(handler);
  app.use((_request, response) => void response.send("ok"));
  app.use(createErrorHandler({ info: () => {}, error: (...what) => void logged.push(what) }));
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = async (path = "/", init: RequestInit = {}) => {
    const response = await fetch(`${url}${path}`, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return { ask, logged, url };
}

describe("tokens", () => {
  const write = (text: string) => {
    const folder = mkdtempSync(join(tmpdir(), "celrec-tokens-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "tokens");
    writeFileSync(file, text);
    return file;
  };

  it("are required only if a token or a token file is set", () => {
    const file = write("");
    expect(createTokens({}).isOn).toBe(false);
    expect(createTokens({ token: "a" }).isOn).toBe(true);
    expect(createTokens({ tokensFile: file }).isOn).toBe(true);
    expect(createTokens({}).find("")).toBeNull();
  });

  it("include the configured token, in plain text or as a hash, with every scope", () => {
    const all = { name: "CELREC_TOKEN", scopes: ["read", "write", "admin"] };
    for (const token of ["secret", `sha256:${sha("secret")}`, `SHA256:${sha("secret").toUpperCase()}`]) {
      const tokens = createTokens({ token });
      expect(tokens.find("secret")).toMatchObject(all);
      expect([tokens.find("secre"), tokens.find("")]).toEqual([null, null]);
    }
    // One digit too short for a hash, so the text itself is the token.
    expect(createTokens({ token: `sha256:${"0".repeat(63)}` }).find("x")).toBeNull();
  });

  it("are read from the lines of a file (scopes, hash, name), without comments and blank lines", () => {
    const lines = [
      "# all",
      "",
      `read  ${sha("a")}  a reader of all # why`,
      `read,write\t${sha("b")}`,
      `admin ${sha("c").toUpperCase()}`,
    ];
    const tokens = createTokens({ tokensFile: write(lines.join("\n")) });
    expect(["a", "b", "c", "d"].map(tokens.find)).toMatchObject([
      { name: "a reader of all", scopes: ["read"] },
      { name: "line 4", scopes: ["read", "write"] },
      { name: "line 5", scopes: ["admin"] },
      null,
    ]);
  });

  it.each([
    ["fly 0", "line 1 has an unknown scope; known are read, write, admin"],
    ["read,fly 0", "line 1 has an unknown scope; known are read, write, admin"],
    [`# x\nread ${sha("a").slice(1)}`, "line 2 has no SHA-256 in hex after its scopes"],
    [`read x${sha("a")}`, "line 1 has no SHA-256 in hex after its scopes"],
    [`read ${sha("a")}0`, "line 1 has no SHA-256 in hex after its scopes"],
    ["read", "line 1 has no SHA-256 in hex after its scopes"],
  ])("refuse a file with %j", (text, reason) => {
    const tokensFile = write(text);
    expect(() => createTokens({ tokensFile })).toThrow(`The token file ${tokensFile} cannot be used: ${reason}.`);
  });

  it("are read from the header", () => {
    const bearer = (authorization?: string) => bearerOf({ headers: { authorization } } as never);
    expect(["Bearer a", "bearer   b c", "Basic a", "xBearer a", "Bearer", undefined].map(bearer)).toEqual([
      "a",
      "b c",
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("accept a token with the scope, and any client if no token is set or needed", async () => {
    const tokens = createTokens({ tokensFile: write(`read ${sha("a")}`) });
    const ask = async (scope: "read" | "write" | "none", on: boolean, headers = {}) => {
      const used = on ? tokens : createTokens({});
      return (await (await serve(createAuthorize(used)(scope))).ask("/", { headers })).status;
    };
    const mine = { authorization: "Bearer a" };
    expect([await ask("read", true, mine), await ask("write", true, mine), await ask("read", true)]).toEqual([
      200, 403, 401,
    ]);
    expect([await ask("none", true), await ask("write", false)]).toEqual([200, 200]);
  });
});

describe("errors", () => {
  const failing = async (error: unknown) => {
    const { ask, logged } = await serve((_request, _response, next) => next(error));
    const { status, headers, text } = await ask();
    return { status, headers, body: JSON.parse(text), logged };
  };

  it("of the body reader count as client errors", async () => {
    const large = await failing(
      Object.assign(new Error("x"), { type: "entity.too.large", limit: 3 * 2 ** 20, status: 413 }),
    );
    expect([large.status, large.body.detail]).toEqual([413, "The body is larger than 3 MB."]);
    const encoding = await failing(Object.assign(new Error("no rot13"), { type: "encoding.unsupported", status: 415 }));
    expect([encoding.status, encoding.body.detail]).toEqual([
      415,
      "The content encoding is missing; send gzip, deflate, br, or none.",
    ]);
    for (const status of [400, 499]) {
      const bad = await failing(Object.assign(new Error("bad"), { status }));
      expect([bad.status, bad.body.detail, bad.logged]).toEqual([
        400,
        "The request was incomplete; send it again.",
        [],
      ]);
    }
  });

  it("of other kinds are bugs: logged, without details in the answer", async () => {
    for (const error of [
      new Error("inside"),
      Object.assign(new Error("inside"), { status: 500 }),
      Object.assign(new Error("inside"), { status: 399 }),
    ]) {
      const { status, body, logged } = await failing(error);
      expect([status, body]).toEqual([
        500,
        {
          type: "about:blank",
          title: "Internal error",
          status: 500,
          detail: "Something went wrong inside celrec; the log has the details.",
          requestId: "r1",
        },
      ]);
      expect(logged).toEqual([[{ requestId: "r1", err: error }, "unexpected error"]]);
    }
  });

  it("of our own kinds keep log details out of the answer", async () => {
    const { status, body, headers, logged } = await failing(
      new RecommenderError("MODEL_UNAVAILABLE", "no /secret/model"),
    );
    expect([status, body.detail, headers.get("retry-after")]).toEqual([
      503,
      "The model cannot be used now; the log of the service has the details.",
      "5",
    ]);
    expect(logged).toEqual([[{ requestId: "r1", code: "MODEL_UNAVAILABLE", detail: "no /secret/model" }, "refused"]]);
    const unauthorized = await failing(new RecommenderError("UNAUTHORIZED", "no"));
    expect([unauthorized.headers.get("www-authenticate"), unauthorized.headers.get("retry-after")]).toEqual([
      "Bearer",
      null,
    ]);
    const problems = [{ pointer: "/k", message: "is wrong" }];
    const invalid = await failing(new RecommenderError("INPUT_INVALID", "k is wrong", { problems }));
    expect([invalid.body.errors, invalid.logged, invalid.headers.get("www-authenticate")]).toEqual([
      problems,
      [],
      null,
    ]);
    expect((await failing(new RecommenderError("NOT_FOUND", "no"))).body).not.toHaveProperty("errors");
  });

  it("after the start of an answer end the connection, and are logged", async () => {
    const { ask, logged } = await serve((_request, response, next) => {
      response.write("half");
      next(new Error("too late"));
    });
    await expect(ask()).rejects.toThrow();
    expect(logged).toEqual([[{ requestId: "r1", err: expect.any(Error) }, "unexpected error"]]);
  });
});

describe("the origin check", () => {
  const ask = async (
    config: Partial<Parameters<typeof createOriginCheck>[0]>,
    headers: Record<string, string>,
    method = "GET",
  ) => {
    const check = createOriginCheck({ host: "127.0.0.1", hosts: [], origins: [], ...config });
    const { ask } = await serve(check);
    return ask("/", { method, headers });
  };

  it("accepts a listed origin in any case, and sets the CORS headers", async () => {
    const { status, headers } = await ask({ origins: ["https://a.example"] }, { origin: "https://A.example" });
    expect([status, headers.get("access-control-allow-origin"), headers.get("vary")]).toEqual([
      200,
      "https://A.example",
      "origin",
    ]);
    expect(headers.get("access-control-expose-headers")).toBe("x-request-id, retry-after, location");
    expect(headers.get("access-control-max-age")).toBeNull();
  });

  it("answers a preflight itself, and only a preflight", async () => {
    const origins = ["https://a.example"];
    const preflight = { origin: "https://a.example", "access-control-request-method": "POST" };
    const answer = await ask({ origins }, preflight, "OPTIONS");
    expect([answer.status, answer.headers.get("access-control-max-age"), answer.text]).toEqual([204, "600", ""]);
    expect((await ask({ origins }, { origin: "https://a.example" }, "OPTIONS")).status).toBe(200);
    expect((await ask({ origins }, preflight, "POST")).status).toBe(200);
    expect((await ask({ origins: [] }, preflight, "OPTIONS")).status).toBe(403);
  });
});

describe("a limit of requests", () => {
  it("is off at 0", async () => {
    const { ask } = await serve(limitRate(0, createTokens({})));
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask()));
    expect(answers.map(({ status, headers }) => [status, headers.get("ratelimit")])).toEqual(
      Array(5).fill([200, null]),
    );
  });

  it("counts each known token separately, unknown ones by address, and health checks not at all", async () => {
    const { ask } = await serve(limitRate(1, createTokens({ token: "a" })));
    const by = async (path: string, token?: string) =>
      (await ask(path, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } })).status;
    expect([await by("/"), await by("/"), await by("/", "a"), await by("/", "a"), await by("/", "b")]).toEqual([
      200, 429, 200, 429, 429,
    ]);
    expect([await by("/healthz"), await by("/readyz"), await by("/healthy")]).toEqual([200, 200, 429]);
  });
});

describe("a body", () => {
  const request = (type?: string, body?: Buffer) => ({ headers: { "content-type": type }, body }) as never;

  it("has a type without its parameters, in lower case", () => {
    expect([contentType(request("Application/JSON ; charset=utf-8")), contentType(request())]).toEqual([
      "application/json",
      "",
    ]);
  });

  it("is JSON if it says so", () => {
    const bytes = Buffer.from("{}");
    for (const type of ["application/json", "application/x-ipynb+json"])
      expect(jsonBytes(request(type, bytes))).toBe(bytes);
    expect(() => jsonBytes(request("text/plain", bytes))).toThrow(
      "The content type is text/plain; send application/json.",
    );
    expect(() => jsonBytes(request(undefined, bytes))).toThrow("The content type is missing; send application/json.");
    expect(bodyOf(request("application/json")).length).toBe(0);
  });
});

describe("metrics", () => {
  it("count refused requests, and omit an index that cannot be read", async () => {
    const metrics = createMetrics({
      running: () => 7,
      waiting: () => 4,
      counts: () => Promise.reject(new Error("gone")),
    });
    const status: RequestHandler = (request, response) => void response.status(Number(request.path.slice(1))).send("");
    const { ask } = await serve(metrics.watch("ask"), status);
    for (const code of [200, 429, 503, 503, 500]) await ask(`/${code}`);
    metrics.observeStages({ embed: 2_000 });
    const { type, text } = await metrics.read();
    expect(type).toBe("text/plain; version=0.0.4; charset=utf-8");
    for (const line of [
      'celrec_refused_total{status="429"} 1',
      'celrec_refused_total{status="503"} 2',
      "celrec_requests_running 7",
      "celrec_questions_waiting 4",
      'celrec_request_duration_seconds_count{call="ask",status="200"} 1',
      'celrec_request_duration_seconds_count{call="ask",status="503"} 2',
      'celrec_stage_duration_seconds_sum{stage="embed"} 2',
      'celrec_stage_duration_seconds_bucket{le="1",stage="embed"} 0',
      'celrec_stage_duration_seconds_bucket{le="2.5",stage="embed"} 1',
    ])
      expect(text).toContain(`${line}\n`);
    expect(text).not.toMatch(/^celrec_index_size\{|status="200"\} .*refused/m);
    expect(text).not.toContain('celrec_refused_total{status="500"}');
  });
});

describe("a service that is stopping", () => {
  it("asks for the connection to be closed", async () => {
    const admission = createAdmission();
    for (const lane of [admission.questions, admission.changes]) {
      const { ask } = await serve((request, response, next) => lane(request, response, next));
      expect([(await ask()).status, admission.running()]).toEqual([200, 0]);
    }
    admission.stop();
    const { ask } = await serve((request, response, next) => admission.changes(request, response, next));
    const { status, headers, text } = await ask();
    expect([status, headers.get("connection"), headers.get("retry-after")]).toEqual([503, "close", "1"]);
    expect(JSON.parse(text).detail).toBe("The service is stopping; try again later.");
  });
});

describe("the page of the API", () => {
  it("shows a call with its parameters, bodies and answers", () => {
    const schema = {
      type: "object",
      required: ["k"],
      properties: {
        k: { type: "integer", minimum: 1, maximum: 9, default: 3, description: "How `many`" },
        tags: { type: "array", items: { type: "string" }, maxItems: 5 },
        who: { type: "object", properties: { name: { type: "string", maxLength: 7 } } },
        mode: { enum: ["a", "b"] },
        either: { anyOf: [{ type: "string" }, { type: "null" }] },
        any: { minimum: 1 },
      },
    };
    const html = renderDocs({
      info: { title: "A <b>", version: "1", description: 'One `x`\n\nTwo & "three"' },
      paths: {
        "/v1/<a>": {
          post: {
            operationId: "ask",
            tags: ["Asking"],
            summary: "Asks",
            description: "Says `it`.",
            parameters: [
              { name: "id", in: "path", required: true, description: "Which", schema: { type: "string" } },
              { name: "n", in: "query", required: false, schema: { type: "integer" } },
            ],
            requestBody: {
              content: {
                "application/json": { schema, example: { k: "<" } },
                "text/plain": { schema: { anyOf: [{ type: "string", description: "Text" }, {}] } },
              },
            },
            responses: {
              200: { description: "Fine", content: { "application/json": { schema: { type: "string" } } } },
              204: { description: "Nothing" },
              400: { description: "Wrong", content: { "application/json": { schema: { $ref: "#/x" } } } },
            },
          },
          get: { operationId: "see", tags: ["Index"], summary: "Sees", description: "", parameters: [], responses: {} },
        },
      },
    });
    expect(html.slice(html.indexOf("<main>"), html.indexOf("</main>"))).toBe(`<main>
<h1>A &lt;b> 1</h1>
<p>One <code>x</code></p>
<p>Two &amp; &quot;three&quot;</p>
<p>Machine-readable: <a href="openapi.json"><code>openapi.json</code></a> (OpenAPI 3.1).</p>
<section id="ask" aria-labelledby="ask-title">
<h2 id="ask-title"><span class="method post">post</span> <code>/<wbr>v1/<wbr>&lt;a></code></h2>
<p>Asks. Says <code>it</code>.</p>
<pre class="curl" data-method="post" data-path="/v1/&lt;a>" data-names="id n" data-type="application/json" data-body="{&quot;k&quot;:&quot;&lt;&quot;}">curl -s -X POST 'http://127.0.0.1:8787/v1/&lt;a>' \\
  -H 'content-type: application/json' \\
  -d '{&quot;k&quot;:&quot;&lt;&quot;}'</pre>
<div class="tables"><table><thead><tr><th>parameter</th><th>where</th><th>type</th><th>meaning</th></tr></thead><tbody><tr><td><code>id</code></td><td>path, required</td><td>string</td><td>Which</td></tr>
<tr><td><code>n</code></td><td>query</td><td>integer</td><td></td></tr></tbody></table></div>
<h3>Body: <code>application/json</code></h3><div class="tables"><table><thead><tr><th>field</th><th>type</th><th>meaning</th></tr></thead><tbody><tr><td><code>k</code> *</td><td>integer (1 to 9, default 3)</td><td>How <code>many</code></td></tr>
<tr><td><code>tags</code></td><td>list of string (at most 5)</td><td></td></tr>
<tr><td><code>who</code></td><td>object</td><td><details><summary>fields</summary><div class="tables"><table><thead><tr><th>field</th><th>type</th><th>meaning</th></tr></thead><tbody><tr><td><code>name</code></td><td>string (at most 7 characters)</td><td></td></tr></tbody></table></div></details></td></tr>
<tr><td><code>mode</code></td><td>a | b</td><td></td></tr>
<tr><td><code>either</code></td><td>string or null</td><td></td></tr>
<tr><td><code>any</code></td><td>any</td><td></td></tr></tbody></table></div><p>Example:</p><pre>{
  &quot;k&quot;: &quot;&lt;&quot;
}</pre>
<h3>Body: <code>text/plain</code></h3><p>string Text</p><p>or</p><p>any </p>
<h3>Answers</h3>
<dl><dt><code>200</code> Fine</dt><dd><p>string </p></dd>
<dt><code>204</code> Nothing</dt><dd></dd>
<dt><code>400</code> Wrong</dt><dd></dd></dl>
</section>
<section id="see" aria-labelledby="see-title">
<h2 id="see-title"><span class="method get">get</span> <code>/<wbr>v1/<wbr>&lt;a></code></h2>
<p>Sees. </p>
<pre class="curl" data-method="get" data-path="/v1/&lt;a>" data-names="" data-type="" data-body="">curl -s 'http://127.0.0.1:8787/v1/&lt;a>'</pre>


<h3>Answers</h3>
<dl></dl>
</section>
`);
    const calls = html.slice(html.indexOf('<nav class="calls"'), html.indexOf("<main>"));
    expect([...calls.matchAll(/<h2>(\w+)<\/h2>|href="(#\w+)"/g)].map(([, tag, address]) => tag ?? address)).toEqual([
      "Asking",
      "#ask",
      "Index",
      "#see",
    ]);
    expect(html.startsWith('<!doctype html>\n<html lang="en">')).toBe(true);
  });
});
