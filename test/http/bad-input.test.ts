import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LABELS } from "../../src/label/labeller.js";
import { type Answer, form, idOf, ipynb, problemOf, type Service, startService, upload } from "./service.js";

const JSON_TYPE = { "content-type": "application/json" };
const recommend = (service: Service, body: unknown) => service.call("POST", "/v1/recommendations", body);
const unknownLabel = `"read_data" is not a label; the labels are ${LABELS.join(", ")}.`;

/** Requests with their expected answers. */
type Case = [
  name: string,
  send: (service: Service) => Promise<Answer>,
  expected: { status: number; detail?: unknown; errors?: unknown },
];

const CASES: readonly Case[] = [
  [
    "what is not JSON",
    (service) => service.call("POST", "/v1/recommendations", "{code: 1}", JSON_TYPE),
    { status: 400, detail: expect.stringMatching(/^The body is not JSON: /) },
  ],
  [
    "a path that is no UTF-8",
    (service) => service.call("GET", "/v1/cells/%E0%A4%A"),
    { status: 400, detail: "The path has a % that is not valid percent-encoded UTF-8 (RFC 3986)." },
  ],
  [
    "an empty body",
    (service) => service.call("POST", "/v1/recommendations", "", JSON_TYPE),
    { status: 400, detail: "The body is not JSON: it is empty" },
  ],
  [
    "a notebook of no bytes",
    (service) => service.call("POST", "/v1/notebooks?name=a", "", JSON_TYPE),
    { status: 400, detail: "a: the file is empty" },
  ],
  [
    "a content type that is not JSON",
    (service) => service.call("POST", "/v1/recommendations", "code=1", { "content-type": "text/plain" }),
    { status: 415, detail: "The content type is text/plain; send application/json." },
  ],
  [
    "a form where JSON is expected",
    (service) => service.call("POST", "/v1/labels", form({ a: "b" })),
    { status: 415, detail: "The content type is multipart/form-data; send application/json." },
  ],
  [
    "a notebook that is plain text",
    (service) => service.call("POST", "/v1/notebooks?name=a", "x = 1", { "content-type": "text/plain" }),
    { status: 415, detail: "The content type is text/plain; send application/json or multipart/form-data." },
  ],
  [
    "an unknown content encoding",
    (service) => service.call("POST", "/v1/labels", "{}", { ...JSON_TYPE, "content-encoding": "rot13" }),
    { status: 415, detail: "The content encoding is rot13; send gzip, deflate, br, or none." },
  ],
  ...["gzip", "deflate", "br"].map(
    (encoding): Case => [
      `a plain body that says that it is ${encoding}`,
      (service) => service.call("POST", "/v1/labels", '{"code": "x"}', { ...JSON_TYPE, "content-encoding": encoding }),
      {
        status: 400,
        detail: `The body is not valid ${encoding}, although its content-encoding says so; encode the body, or omit the header.`,
      },
    ],
  ),
  [
    "a question over 8 MB",
    (service) => service.call("POST", "/v1/recommendations", " ".repeat(8 * 2 ** 20 + 1), JSON_TYPE),
    { status: 413, detail: "The body is larger than 8 MB." },
  ],
  ["a list", (service) => recommend(service, []), { status: 400, errors: [{ pointer: "" }] }],
  ["no code", (service) => recommend(service, {}), { status: 400, errors: [{ pointer: "/code" }] }],
  [
    "code that is no text",
    (service) => recommend(service, { code: 1 }),
    { status: 400, errors: [{ pointer: "/code" }] },
  ],
  ...[0, -1, 1e9, 101, "3", 3.5, null, [3], true].map(
    (k): Case => [
      `k of ${JSON.stringify(k)}`,
      (service: Service) => recommend(service, { code: "x", k }),
      { status: 400, errors: [{ pointer: "/k" }] },
    ],
  ),
  [
    "an unknown label",
    (service) => recommend(service, { code: "x", label: "read_data" }),
    { status: 400, detail: unknownLabel, errors: [{ pointer: "/label", message: unknownLabel }] },
  ],
  [
    "an unknown filter",
    (service) => recommend(service, { code: "x", filter: "hard" }),
    { status: 400, errors: [{ pointer: "/filter" }] },
  ],
  [
    "an unknown field",
    (service) => recommend(service, { code: "x", kk: 3 }),
    { status: 400, detail: "`kk` is not a known field", errors: [{ pointer: "/kk", message: "is not a known field" }] },
  ],
  [
    "several mistakes, all named at once",
    (service) => recommend(service, { code: "x", k: 0, "a/b~c": 1, collapse: "yes", exclude: { notebooks: ["zz"] } }),
    {
      status: 400,
      errors: expect.arrayContaining(
        ["/k", "/a~1b~0c", "/collapse", "/exclude/notebooks/0"].map((pointer) => expect.objectContaining({ pointer })),
      ),
    },
  ],
  [
    "an own property called __proto__",
    (service) => service.call("POST", "/v1/recommendations", '{"code": "x", "__proto__": {"k": 1}}', JSON_TYPE),
    { status: 400, errors: [{ pointer: "/__proto__", message: "is not a known field" }] },
  ],
  [
    "code over 256 KB",
    (service) => recommend(service, { code: "x".repeat(256 * 1024 + 1) }),
    { status: 413, detail: "The code has 262145 bytes; the limit is 262144 (256 KB)." },
  ],
  [
    "code of 1 MB",
    (service) => recommend(service, { code: "é".repeat(512 * 1024) }),
    { status: 413, detail: "The code has 1048576 bytes; the limit is 262144 (256 KB)." },
  ],
  [
    "a body over 25 MB",
    (service) => service.call("POST", "/v1/notebooks?name=a", " ".repeat(25 * 2 ** 20 + 1), JSON_TYPE),
    { status: 413, detail: "The body is larger than 25 MB." },
  ],
  [
    "a form over 25 MB",
    (service) => service.call("POST", "/v1/notebooks", form({ a: " ".repeat(25 * 2 ** 20) })),
    { status: 413, detail: "The body is larger than 25 MB." },
  ],
  [
    "a notebook of over 5,000 cells",
    (service) => upload(service, "a.ipynb", Array(5_001).fill("x")),
    { status: 413, detail: "a.ipynb has 5001 cells; the limit is 5000." },
  ],
  [
    "JSON that is not a notebook",
    (service) => service.call("POST", "/v1/notebooks?name=a", { a: 1 }),
    {
      status: 422,
      detail: "a: JSON, but not a notebook: it has neither cells nor worksheets nor nbformat",
      errors: [{ pointer: "/a" }],
    },
  ],
  ["a number", (service) => service.call("POST", "/v1/notebooks?name=a", "1", JSON_TYPE), { status: 422 }],
  [
    "a notebook in R",
    (service) => service.call("POST", "/v1/notebooks?name=a", ipynb(["x <- 1"], { kernelspec: { name: "ir" } })),
    { status: 422, detail: "a: a notebook in ir, not Python" },
  ],
  [
    "a notebook without a name",
    (service) => service.call("POST", "/v1/notebooks", ipynb(["x"])),
    {
      status: 400,
      detail: "The notebook has no name; send it as ?name=.",
      errors: [{ pointer: "/name", message: "is missing" }],
    },
  ],
  [
    "an empty name",
    (service) => service.call("POST", "/v1/notebooks?name=", ipynb(["x"])),
    {
      status: 400,
      errors: [
        { pointer: "/name", message: 'must be a string of 1 to 1,024 characters without control characters, not ""' },
      ],
    },
  ],
  [
    "a name with control characters",
    (service) => service.call("POST", "/v1/notebooks?name=a%0Ab%00", ipynb(["x"])),
    { status: 400, errors: [{ pointer: "/name" }] },
  ],
  [
    "a name of 1,025 characters",
    (service) => service.call("POST", `/v1/notebooks?name=${"a".repeat(1025)}`, ipynb(["x"])),
    { status: 400, errors: [{ pointer: "/name" }] },
  ],
  [
    "two names",
    (service) => service.call("POST", "/v1/notebooks?name=a&name=b", ipynb(["x"])),
    { status: 400, errors: [{ pointer: "/name" }] },
  ],
  [
    "brackets nested over 20 MB",
    (service) => service.call("POST", "/v1/notebooks?name=a", "[".repeat(20 * 2 ** 20), JSON_TYPE),
    { status: 422, detail: "a: it cannot be a notebook: it is nested more than 1,000 levels deep" },
  ],
  [
    "the same in a form",
    (service) => service.call("POST", "/v1/notebooks", form({ "a.ipynb": '{"a":'.repeat(4 * 2 ** 20) })),
    { status: 422, detail: "a.ipynb: it cannot be a notebook: it is nested more than 1,000 levels deep" },
  ],
  [
    "a list of ten million values",
    (service) => service.call("POST", "/v1/notebooks?name=a", `[${"0,".repeat(1e7)}0]`, JSON_TYPE),
    { status: 422, detail: "a: it cannot be a notebook: it contains more than 5,000,000 values" },
  ],
  [
    "a form of 60,000 notebooks",
    (service) => sendFiles(service, 60_000),
    { status: 413, detail: "The form has more than 1000 files; send them in several forms." },
  ],
  [
    "a form of 1,001 notebooks",
    (service) => sendFiles(service, 1_001),
    { status: 413, detail: "The form has more than 1000 files; send them in several forms." },
  ],
  [
    "a notebook of 24 MB to label",
    (service) =>
      service.call("POST", "/v1/labels", { notebook: ipynb(Array(400).fill(`x = "${"y".repeat(59_000)}"`)) }),
    { status: 413, detail: "The notebook has 23602400 bytes of code; the limit for labelling is 2097152 (2 MB)." },
  ],
  [
    "a notebook with a cell of over 256 KB to label",
    (service) => service.call("POST", "/v1/labels", { notebook: ipynb(["x", "y".repeat(256 * 1024 + 1)]) }),
    { status: 413, detail: "Cell 1 has 262145 bytes; the limit is 262144 (256 KB)." },
  ],
  [
    "code of 20 MB to label",
    (service) => service.call("POST", "/v1/labels", { code: "x".repeat(20 * 2 ** 20) }),
    { status: 413, detail: "The code has 20971520 bytes; the limit is 262144 (256 KB)." },
  ],
  [
    "cells before of 20 MB",
    (service) => recommend(service, { code: "x", context: { before: ["y".repeat(20 * 2 ** 20)] } }),
    { status: 413, detail: "The body is larger than 8 MB." },
  ],
  [
    "cells before of 2 MB",
    (service) => recommend(service, { code: "x", context: { before: ["y".repeat(2 * 2 ** 20)] } }),
    { status: 413, detail: "The cells before have 2097152 bytes; the limit is 1048576 (1 MB)." },
  ],
  [
    "20,001 values where a handful is asked for",
    (service) => recommend(service, { code: "x".repeat(2 ** 20), extra: Array.from({ length: 20_001 }, () => 1) }),
    { status: 400, detail: "The body is not accepted: it contains more than 20,000 values." },
  ],
  [
    "cells before of one byte over 1 MB",
    (service) => recommend(service, { code: "x", context: { before: ["y".repeat(2 ** 20), "z"] } }),
    { status: 413, detail: "The cells before have 1048577 bytes; the limit is 1048576 (1 MB)." },
  ],
  [
    "1,001 cells before",
    (service) => recommend(service, { code: "x", context: { before: Array(1_001).fill("") } }),
    {
      status: 400,
      detail: "`context.before` must be a list of at most 1,000 strings, not of 1,001",
      errors: [{ pointer: "/context/before" }],
    },
  ],
  [
    "Markdown of over 64 KB",
    (service) => recommend(service, { code: "x", context: { markdown: "y".repeat(65_537) } }),
    { status: 400, detail: "`context.markdown` must be a string of at most 65,536 characters" },
  ],
  [
    "1,001 excluded notebooks",
    (service) => recommend(service, { code: "x", exclude: { notebooks: Array(1_001).fill("0".repeat(64)) } }),
    { status: 400, errors: [{ pointer: "/exclude/notebooks" }] },
  ],
  [
    "an unknown path",
    (service) => service.call("GET", "/v2/stats"),
    { status: 404, detail: "There is no /v2/stats; see GET /." },
  ],
];

/** The form is written by hand, because making sixty thousand blobs takes longer than a connection waits. */
function sendFiles(service: Service, count: number): Promise<Answer> {
  const part = (at: number) =>
    `--x\r\ncontent-disposition: form-data; name="file"; filename="${at}.ipynb"\r\n\r\n{"nbformat":4}\r\n`;
  const body = `${Array.from({ length: count }, (_, at) => part(at)).join("")}--x--\r\n`;
  return service.call("POST", "/v1/notebooks", body, { "content-type": "multipart/form-data; boundary=x" });
}

/** One service for the whole table: refused requests must not change it. */
function useService(): () => Service {
  const endings: (() => void | Promise<void>)[] = [];
  let service: Service;
  beforeAll(async () => {
    service = await startService({}, undefined, (action) => endings.unshift(action));
    await upload(service, "kept.ipynb", ["x = 1"]);
  });
  afterAll(async () => {
    for (const end of endings) await end();
  });
  return () => service;
}

describe("bad input", () => {
  const shared = useService();
  it.each(CASES)("is refused and changes nothing: %s", async (_name, send, expected) => {
    const service = shared();
    const before = await service.stats();
    expect(problemOf(await send(service))).toMatchObject(expected);
    expect(await service.stats()).toEqual(before);
    expect(service.logged).toEqual([]);
  });

  it.each([
    ["POST", "/v1/stats", "GET"],
    ["PUT", "/v1/notebooks", "GET, POST"],
    ["PATCH", `/v1/notebooks/${idOf("a")}`, "GET, DELETE"],
    ["GET", "/v1/recommendations", "POST"],
    ["DELETE", "/v1/labels", "GET, POST"],
    ["GET", "/v1/index", "DELETE"],
    ["POST", "/healthz", "GET"],
  ])("answers 405 to %s %s", async (method, path, allow) => {
    const answer = await shared().call(method, path);
    expect(problemOf(answer)).toEqual({
      status: 405,
      detail: `${method} ${path} is not allowed; allowed: ${allow}.`,
    });
    expect(answer.headers.get("allow")).toBe(allow);
  });

  it("answers 400 to a request without any body", async () => {
    const { port } = new URL(shared().url);
    const text = await new Promise<string>((resolve) => {
      let received = "";
      const socket = connect(Number(port), "127.0.0.1");
      socket.on("data", (chunk) => {
        received += chunk;
      });
      socket.on("close", () => resolve(received));
      socket.write(
        "POST /v1/labels HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n",
      );
    });
    expect(text.split("\r\n")[0]).toBe("HTTP/1.1 400 Bad Request");
    expect(text).toContain('"detail":"The body is not JSON: it is empty"');
  });

  it("keeps the id of a request, unless it is unsafe in a log", async () => {
    const service = shared();
    const given = await service.call("GET", "/v2", undefined, { "x-request-id": "abc-1" });
    expect(given.body.requestId).toBe("abc-1");
    const bad = await service.call("GET", "/v2", undefined, { "x-request-id": 'a"b c' });
    expect(bad.body.requestId).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("input at its limit", () => {
  const shared = useService();
  it.each<[string, (service: Service) => Promise<Answer>, number]>([
    ["code of 256 KB", (service) => recommend(service, { code: "x".repeat(256 * 1024) }), 200],
    ["k of 100", (service) => recommend(service, { code: "x", k: 100 }), 200],
    [
      "cells before of 1 MB",
      (service) => recommend(service, { code: "x", context: { before: ["y".repeat(2 ** 20)] } }),
      200,
    ],
    [
      "1,000 cells before",
      (service) => recommend(service, { code: "x", context: { before: Array(1_000).fill("") } }),
      200,
    ],
    [
      "Markdown of 64 KB",
      (service) => recommend(service, { code: "x", context: { markdown: "y".repeat(65_536) } }),
      200,
    ],
    [
      "1,000 excluded notebooks",
      (service) => recommend(service, { code: "x", exclude: { notebooks: Array(1_000).fill("0".repeat(64)) } }),
      200,
    ],
    [
      "a notebook of 5,000 cells to label",
      (service) => service.call("POST", "/v1/labels", { notebook: ipynb(Array(5_000).fill("x")) }),
      200,
    ],
    ["a form of 1,000 notebooks", (service) => sendFiles(service, 1_000), 201],
    ["a name of 1,024 characters", (service) => upload(service, "a".repeat(1_024), ["x"]), 201],
  ])("is accepted: %s", async (_name, send, status) => {
    expect((await send(shared())).status).toBe(status);
  });
});

describe("odd but valid input", () => {
  it.each([
    ["lone surrogates", "df = '\ud800'\npd.read_csv(df)"],
    ["NUL", "df = pd.read_csv('a\0b')\0"],
    ["only brackets", "(".repeat(100_000)],
    ["one line of 256 KB", `x = "${"y".repeat(256 * 1024 - 6)}"`],
    ["control characters", "\x01\x02\x7f\u2028\ufeff"],
  ])("answers recommendations and labels for code with %s", async (_name, code) => {
    const service = await startService();
    await upload(service, "a", ["df = pd.read_csv(f)"]);
    expect((await recommend(service, { code })).status).toBe(200);
    expect((await service.call("POST", "/v1/labels", { code, partial: true })).status).toBe(200);
    expect(service.logged).toEqual([]);
  });

  it("stores cells with NUL and lone surrogates, and gives them back", async () => {
    const service = await startService();
    await upload(service, "a", ["x = '\0'", "y = '\ud800'"]);
    const { body } = await service.call("GET", `/v1/notebooks/${idOf("a")}`);
    expect(body.cells.map(({ code }: { code: string }) => code)).toEqual(["x = '\0'", "y = '\ufffd'"]);
  });

  it("reads a notebook with __proto__ and constructor keys as data", async () => {
    const service = await startService();
    const text =
      '{"__proto__": {"cells": []}, "constructor": 1, "nbformat": 4, "cells": [{"__proto__": {"cell_type": "x"}, "cell_type": "code", "source": "x = 1"}]}';
    const { status, body } = await service.call("POST", "/v1/notebooks?name=__proto__", text, JSON_TYPE);
    expect([status, body.notebooks[0].name, body.notebooks[0].cells]).toEqual([201, "__proto__", 1]);
    expect(({} as Record<string, unknown>).cells).toBeUndefined();
  });
});
