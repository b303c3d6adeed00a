import { createHash } from "node:crypto";
import { rmSync, utimesSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createTokens } from "../../src/http/authorize.js";
import { createHttpServer } from "../../src/http/http-server.js";
import { idOf, ipynb, makeFolder, problemOf, startService, upload } from "./service.js";

const FIT = "model.fit(X, y)";
const MINE = "https://lab.example.org";

/** `fetch` cannot set the Host header. */
function withHost(url: string, method: string, path: string, headers: Record<string, string>) {
  return new Promise<{ status: number; detail: string }>((resolve, reject) => {
    const { port } = new URL(url);
    const sent = httpRequest({ port, host: "127.0.0.1", method, path, headers }, (answer) => {
      let text = "";
      answer.on("data", (chunk) => {
        text += chunk;
      });
      answer.on("end", () =>
        resolve({ status: answer.statusCode!, detail: text === "" ? "" : JSON.parse(text).detail }),
      );
    });
    sent.on("error", reject).end();
  });
}

describe("foreign web pages", () => {
  it.each(["evil.example", "evil.example:8787", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.7"])(
    "are refused by their Host: %s",
    async (host) => {
      const service = await startService();
      await upload(service, "a", [FIT]);
      expect(await withHost(service.url, "DELETE", "/v1/index", { host })).toEqual({
        status: 403,
        detail: `The Host "${host.replace(":8787", "")}" is not a name of this service; the operator can add names with CELREC_HOSTS.`,
      });
      expect(await service.stats()).toMatchObject({ cells: 1 });
    },
  );

  it.each(["localhost", "localhost:1", "127.0.0.1", "[::1]:8787", "Lab.Example.org:443"])(
    "do not include pages under the service's own names: %s",
    async (host) => {
      const service = await startService({ CELREC_HOSTS: "lab.example.org" });
      expect((await withHost(service.url, "DELETE", "/v1/index", { host })).status).toBe(204);
    },
  );

  it.each(["https://evil.example", "null", "http://localhost:1", "https://lab.example.org.evil.example"])(
    "are refused by their Origin, though a form needs no preflight: %s",
    async (origin) => {
      const service = await startService({ CELREC_ORIGINS: MINE });
      const form = new FormData();
      form.append("file", new Blob([JSON.stringify(ipynb(["planted()"]))]), "a.ipynb");
      const answer = await service.call("POST", "/v1/notebooks", form, { origin });
      expect(problemOf(answer)).toEqual({
        status: 403,
        detail: `The Origin "${origin}" may not call this service; the operator can add origins with CELREC_ORIGINS.`,
      });
      expect(answer.headers.get("access-control-allow-origin")).toBeNull();
      expect(await service.stats()).toMatchObject({ cells: 0 });
    },
  );

  it("may call if their origin is listed, with a preflight", async () => {
    const service = await startService({ CELREC_ORIGINS: `http://a.example, ${MINE}` });
    const preflight = await service.call("OPTIONS", "/v1/recommendations", undefined, {
      origin: MINE,
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type,authorization",
    });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      "access-control-allow-origin": MINE,
      "access-control-allow-methods": "GET, POST, DELETE",
      "access-control-allow-headers": "authorization, content-type, x-request-id, mcp-protocol-version",
      vary: "origin",
    });
    const answer = await service.call("POST", "/v1/recommendations", { code: FIT }, { origin: MINE });
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, MINE]);
  });

  it("do not include the page that the service serves", async () => {
    const service = await startService();
    const answer = await service.call("POST", "/v1/recommendations", { code: FIT }, { origin: service.url });
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, null]);
  });

  it("get a policy that allows only our own scripts and frames", async () => {
    const service = await startService();
    const { headers } = await service.call("GET", "/docs");
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none';script-src 'self';style-src 'self';img-src 'self' data:;connect-src 'self';base-uri 'none';form-action 'none';frame-ancestors 'self'",
    );
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-powered-by")).toBeNull();
  });
});

describe("tokens", () => {
  const hash = (token: string) => createHash("sha256").update(token).digest("hex");
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  it("have scopes, several at once, in a file that may change", async () => {
    const file = join(makeFolder(), "tokens");
    writeFileSync(file, `# who may do what\nread ${hash("reader")} a reader\nread,write ${hash("writer")}\n`);
    const service = await startService({ CELREC_TOKENS_FILE: file, CELREC_TOKEN: `sha256:${hash("the whole world")}` });
    const statuses = async (token: string) => [
      (await service.call("GET", "/v1/stats", undefined, bearer(token))).status,
      (await service.call("DELETE", `/v1/notebooks/${idOf("x")}`, undefined, bearer(token))).status,
      (await service.call("DELETE", "/v1/index", undefined, bearer(token))).status,
    ];
    expect(await statuses("reader")).toEqual([200, 403, 403]);
    expect(await statuses("writer")).toEqual([200, 404, 403]);
    expect(await statuses("the whole world")).toEqual([200, 404, 204]);
    expect(await statuses("nobody")).toEqual([401, 401, 401]);
    expect(problemOf(await service.call("DELETE", "/v1/index", undefined, bearer("writer")))).toEqual({
      status: 403,
      detail: "The token has the scope read, write; this needs admin.",
    });
  });

  it("change with their file, a second later at most", () => {
    const file = join(makeFolder(), "tokens");
    writeFileSync(file, `read ${hash("old")} one\n`);
    let now = 0;
    const tokens = createTokens({ tokensFile: file }, { clock: () => now });
    expect(tokens.find("old")).toMatchObject({ name: "one", scopes: ["read"] });
    writeFileSync(file, `admin ${hash("new")}\n`);
    utimesSync(file, 1, 1);
    now = 999;
    expect([tokens.find("old")?.name, tokens.find("new")]).toEqual(["one", null]);
    now = 1_000;
    expect([tokens.find("old"), tokens.find("new")?.scopes]).toEqual([null, ["admin"]]);
  });

  it("stay the same while their file is broken or missing, which is logged once", () => {
    const file = join(makeFolder(), "tokens");
    writeFileSync(file, `read ${hash("old")} one\n`);
    let now = 0;
    const told: string[] = [];
    const onReadError = ({ message }: Error) => void told.push(message);
    const tokens = createTokens({ tokensFile: file }, { clock: () => now, onReadError });
    const found: (string | undefined)[] = [];
    const look = () => {
      now += 1_000;
      found.push(tokens.find("old")?.name);
    };
    rmSync(file);
    look();
    look();
    writeFileSync(file, "read half-a-ha");
    look();
    look();
    writeFileSync(file, `read ${hash("new")} two\n`);
    utimesSync(file, 1, 1);
    look();
    rmSync(file);
    look();
    expect([found, tokens.find("new")?.name]).toEqual([["one", "one", "one", "one", undefined, undefined], "two"]);
    const trouble = (reason: string) => `The token file ${file} cannot be used: ${reason}.`;
    expect(told).toEqual([
      trouble("it does not exist"),
      trouble("line 1 has no SHA-256 in hex after its scopes"),
      trouble("it does not exist"),
    ]);
  });

  it("are answered as before if the token file is deleted, and the log says why", async () => {
    const file = join(makeFolder(), "tokens");
    writeFileSync(file, `read ${hash("reader")} one\n`);
    const service = await startService({ CELREC_TOKENS_FILE: file });
    rmSync(file);
    // The file is read again at most once a second, when a request comes.
    const nobody = () => service.call("GET", "/v1/stats", undefined, bearer("nobody"));
    const askUntilLogged = async () => {
      await nobody();
      expect(service.logged).toHaveLength(1);
    };
    await vi.waitFor(askUntilLogged, { timeout: 20_000 });
    expect((await service.call("GET", "/v1/stats", undefined, bearer("reader"))).status).toBe(200);
    expect((await nobody()).status).toBe(401);
    expect(service.logged).toEqual([
      {
        values: { detail: `The token file ${file} cannot be used: it does not exist.` },
        message: "cannot read the token file; the previous tokens stay in use",
      },
    ]);
  });

  it.each([
    ["fly 00", "line 1 has an unknown scope; known are read, write, admin"],
    ["\nread 00", "line 2 has no SHA-256 in hex after its scopes"],
    [null, "it does not exist"],
  ])("refuse to start with a file that holds %j", async (text, reason) => {
    const file = join(makeFolder(), "tokens");
    if (text !== null) writeFileSync(file, text);
    await expect(startService({ CELREC_TOKENS_FILE: file })).rejects.toThrow(
      `The token file ${file} cannot be used: ${reason}.`,
    );
  });

  it("are required before the body is read", async () => {
    const service = await startService({ CELREC_TOKEN: "0123456789abcdef" });
    const answer = await service.call("POST", "/v1/notebooks?name=a", " ".repeat(26 * 2 ** 20), {
      "content-type": "application/json",
    });
    expect(answer.status).toBe(401);
  });
});

describe("a limit of requests", () => {
  it("applies per token or address, sends Retry-After, and exempts health checks", async () => {
    const token = "0123456789abcdef";
    const service = await startService({ CELREC_RATE: "3", CELREC_TOKEN: token });
    const ask = (headers = {}) => service.call("GET", "/v1/stats", undefined, headers);
    expect([(await ask()).status, (await ask()).status, (await ask()).status]).toEqual([401, 401, 401]);
    const refused = await ask();
    expect(problemOf(refused)).toEqual({
      status: 429,
      detail: "More than 3 requests in a minute; wait before the next one.",
    });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await ask({ authorization: `Bearer ${token}` })).status).toBe(200);
    expect((await service.call("GET", "/healthz")).status).toBe(200);
  });

  it.each<[string, Record<string, string>, number]>([
    ["are required", { CELREC_TOKEN: "0123456789abcdef" }, 401],
    ["are off", {}, 200],
  ])("cannot be avoided with a new made-up token for each request if tokens %s", async (_, env, first) => {
    const service = await startService({ CELREC_RATE: "3", ...env });
    const statuses = [];
    for (let at = 0; at < 5; at += 1) {
      const authorization = `Bearer made-up-${at}`;
      statuses.push((await service.call("GET", "/v1/stats", undefined, { authorization })).status);
    }
    expect(statuses).toEqual([first, first, first, 429, 429]);
  });
});

describe("slow and huge requests", () => {
  const listen = async (limits = {}) => {
    // Answers after reading the whole body, as our routes do.
    const server = createHttpServer(
      (request, response) => void request.resume().on("end", () => response.end("ok")),
      limits,
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    return (server.address() as { port: number }).port;
  };
  const send = (port: number, text: string) =>
    new Promise<string>((resolve) => {
      let received = "";
      const socket = connect(port, "127.0.0.1");
      socket.on("data", (chunk) => {
        received += chunk;
      });
      socket.on("close", () => resolve(received));
      socket.on("error", () => {});
      socket.write(text);
    });

  it("are aborted", async () => {
    const port = await listen({ headersMs: 300, requestMs: 600 });
    const [head, body, header] = await Promise.all([
      send(port, "GET / HTTP/1.1\r\nHost: a\r\n"),
      send(port, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nab"),
      send(port, `GET / HTTP/1.1\r\nHost: a\r\nX: ${"y".repeat(17_000)}\r\n\r\n`),
    ]);
    // The id of the request differs each time, and is in the headers as well.
    const read = (answer: string) => {
      const [head, text] = answer.split("\r\n\r\n") as [string, string];
      const { requestId, ...problem } = JSON.parse(text) as Record<string, unknown>;
      expect(requestId).toMatch(/^[\w.-]{36}$/);
      expect(head.split("\r\n")).toEqual([
        expect.stringMatching(/^HTTP\/1.1 4/),
        "content-type: application/problem+json; charset=utf-8",
        `x-request-id: ${requestId}`,
        `content-length: ${text.length}`,
        "connection: close",
      ]);
      return problem;
    };
    const late = {
      type: "about:blank",
      title: "Request Timeout",
      status: 408,
      detail: "The request took too long: the limit for headers is 0.3 s, for the whole request 0.6 s.",
    };
    expect([read(head), read(body)]).toEqual([late, late]);
    const title = "Request Header Fields Too Large";
    const detail = "The headers are larger than 16 KB.";
    expect(read(header)).toEqual({ type: "about:blank", title, status: 431, detail });
  });
});
