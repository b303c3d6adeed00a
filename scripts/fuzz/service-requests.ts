import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";

/** A request as bytes, and a description of it for the report of a failure. */
export interface FuzzedRequest {
  readonly bytes: Buffer;
  readonly about: string;
}

interface Draft {
  method: string;
  path: string;
  headers: [string, string][];
  body: Buffer;
}

const NOTEBOOK = {
  nbformat: 4,
  nbformat_minor: 5,
  metadata: { kernelspec: { language: "python" } },
  cells: [
    { cell_type: "markdown", source: "# Title" },
    { cell_type: "code", source: ["import pandas as pd\n", "df = pd.read_csv('a.csv')"], outputs: [] },
  ],
};
const ID = "0".repeat(64);

/** Valid and nearly valid requests; together they use every field. */
const SEEDS: readonly (readonly [string, string, unknown])[] = [
  [
    "POST",
    "/v1/recommendations",
    {
      code: "df = pd.read_csv(",
      k: 3,
      mode: "auto",
      filter: "soft",
      collapse: true,
      diversity: 0.5,
      minConfidence: 0.1,
      context: { before: ["import pandas as pd"], markdown: "Read", variables: { df: "DataFrame" } },
      exclude: { notebooks: [ID, { source: "a", path: "b" }] },
      explain: true,
    },
  ],
  ["POST", "/v1/recommendations", { notebook: ID, cellIndex: 0, k: 1 }],
  [
    "POST",
    "/v1/completions",
    {
      prefix: "df.gro",
      suffix: ")",
      k: 3,
      maxLines: 2,
      minConfidence: 0,
      context: {
        before: ["import pandas as pd"],
        after: ["df.head()"],
        markdown: "Group",
        variables: { n: "int", df: { type: "DataFrame", columns: ["a"], members: ["groupby"] } },
      },
    },
  ],
  ["POST", "/v1/search", { text: "read csv", k: 10, label: "ingest_data" }],
  ["POST", "/v1/labels", { code: "model.fit(X, y)", partial: true }],
  ["POST", "/v1/labels", { notebook: NOTEBOOK }],
  ["POST", "/v1/feedback", { recommendation: "x", rank: 1, event: "accepted" }],
  ["POST", "/v1/notebooks?source=s&name=a.ipynb", NOTEBOOK],
  ["GET", "/v1/notebooks?limit=3", null],
  ["GET", `/v1/notebooks/${ID}`, null],
  ["DELETE", `/v1/notebooks/${ID}`, null],
  ["GET", `/v1/cells/${ID}?offset=0&limit=2`, null],
  ["GET", "/v1/labels", null],
  ["GET", "/v1/stats", null],
  ["GET", "/v1/feedback/summary", null],
  ["DELETE", "/v1/index", null],
  ["GET", "/healthz", null],
  ["GET", "/readyz", null],
  ["GET", "/metrics", null],
  ["GET", "/", null],
  ["GET", "/docs", null],
  ["GET", "/openapi.json", null],
  ["GET", "/app.js", null],
];

const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  101,
  "",
  "\0",
  "\ud800",
  "=1+1",
  "<script>",
  "../../etc/passwd",
  "🦓",
  [],
  {},
  [[]],
  ["x", 1],
  { __proto__x: 1 },
];
const METHODS = ["GET", "POST", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS", "TRACE", "get", "FLY"];
const PATH_PARTS = [
  "%",
  "%zz",
  "%00",
  "%2e%2e/",
  "..",
  "//",
  "?",
  "?k=1&k=2",
  "?limit=-1",
  "&a[]=1",
  "#",
  "\\",
  "é",
  ";",
  "~",
];
const TYPES = [
  "application/json",
  "application/json; charset=utf-16",
  "application/x-ipynb+json",
  "text/plain",
  "multipart/form-data",
  "multipart/form-data; boundary=b",
  "multipart/form-data; boundary=",
  'multipart/form-data; boundary="b',
  "application/x-www-form-urlencoded",
  "",
  "*/*",
  "a/b;",
];
const ODD_HEADERS: readonly (readonly [string, string])[] = [
  ["host", "evil.example"],
  ["host", ""],
  ["origin", "https://evil.example"],
  ["origin", "null"],
  ["authorization", "Bearer"],
  ["authorization", "Basic eDp5"],
  ["x-request-id", "a b"],
  ["x-request-id", "x".repeat(300)],
  ["content-encoding", "gzip"],
  ["content-encoding", "zstd"],
  ["content-encoding", "br"],
  ["expect", "100-continue"],
  ["expect", "nonsense"],
  ["transfer-encoding", "gzip"],
  ["upgrade", "websocket"],
  ["range", "bytes=5-1"],
  ["if-none-match", "*"],
  ["accept", "text/nothing"],
  ["cookie", "a=b; ".repeat(100)],
  ["x-forwarded-for", "'; drop table cells"],
  ["content-length", "-1"],
  ["content-length", "99999999999"],
  ["bad header", "x"],
  ["x", "\u0001"],
  ["y", "y".repeat(20_000)],
];

/** Generates requests; equal random numbers give equal requests. */
export function createFuzzer(random: () => number): () => FuzzedRequest {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const chance = (share: number) => random() < share;

  const mutateValue = (value: unknown): unknown => {
    if (chance(0.25)) return pick(ODD_VALUES);
    if (typeof value === "string")
      return chance(0.05) ? value.repeat(2_000) : `${value}${pick(["\0", "\n", "x", "é"])}`;
    if (typeof value !== "object" || value === null) return pick(ODD_VALUES);
    if (Array.isArray(value))
      return [...value, pick(ODD_VALUES)].map((each) => (chance(0.3) ? mutateValue(each) : each));
    const entries = Object.entries(value).flatMap(([key, each]) => {
      if (chance(0.1)) return [];
      return [[chance(0.05) ? `${key}x` : key, chance(0.3) ? mutateValue(each) : each] as const];
    });
    return Object.fromEntries(chance(0.1) ? [...entries, [pick(["", "__proto__", "x"]), 1]] : entries);
  };

  const mutateBytes = (bytes: Buffer): Buffer => {
    const copy = Buffer.from(bytes);
    if (copy.length === 0) return copy;
    const at = Math.floor(random() * copy.length);
    const how = pick(["cut", "flip", "insert", "double", "utf16", "bom", "gzip", "deflate", "br", "deep"]);
    if (how === "cut") return copy.subarray(0, at);
    if (how === "flip") copy[at] = Math.floor(random() * 256);
    if (how === "insert")
      return Buffer.concat([copy.subarray(0, at), Buffer.from([0, 255, 34, 125]), copy.subarray(at)]);
    if (how === "double") return Buffer.concat([copy, copy]);
    if (how === "utf16") return Buffer.from(copy.toString(), "utf16le");
    if (how === "bom") return Buffer.concat([Buffer.from("\uFEFF"), copy]);
    if (how === "gzip") return gzipSync(copy);
    if (how === "deflate") return deflateSync(copy);
    if (how === "br") return brotliCompressSync(copy);
    if (how === "deep") return Buffer.from("[".repeat(100 + Math.floor(random() * 50_000)));
    return copy;
  };

  const makeForm = (): Buffer => {
    const boundary = chance(0.8) ? "b" : "other";
    const part = () => {
      const name = pick([
        "a.ipynb",
        "b.py",
        "",
        "../x.ipynb",
        "a/b/c.ipynb",
        "é.ipynb",
        "x".repeat(2_000),
        'q".ipynb',
        "\0",
      ]);
      const content = chance(0.5)
        ? JSON.stringify(mutateValue(NOTEBOOK))
        : pick(["# %%\nx = 1", "", "[]", "\u00ff", "{"]);
      const disposition = chance(0.9)
        ? `Content-Disposition: form-data; name="file"; filename="${name}"\r\n`
        : pick(["", "Content-Disposition: form-data\r\n", "Content-Disposition\r\n", `x: ${"y".repeat(20_000)}\r\n`]);
      return `--${boundary}\r\n${disposition}\r\n${content}\r\n`;
    };
    const parts = Array.from({ length: Math.floor(random() * 4) }, part);
    return Buffer.from(`${parts.join("")}${chance(0.85) ? `--${boundary}--\r\n` : ""}`);
  };

  const mutateHeaders = (draft: Draft): void => {
    const how = random();
    if (how < 0.4) draft.headers = draft.headers.filter(([name]) => name !== "content-type");
    if (how < 0.35) draft.headers.push(["content-type", pick(TYPES)]);
    if (how > 0.4) {
      const [name, value] = pick(ODD_HEADERS);
      if (chance(0.7)) draft.headers = draft.headers.filter(([known]) => known !== name);
      draft.headers.push([name, value]);
    }
  };

  const mutatePath = (path: string): string => {
    const at = Math.floor(random() * (path.length + 1));
    const how = random();
    if (how < 0.1) return `/${"a/".repeat(3_000)}`;
    if (how < 0.3) return path.slice(0, at);
    return `${path.slice(0, at)}${pick(PATH_PARTS)}${path.slice(at)}`;
  };

  return () => {
    const [method, path, value] = pick(SEEDS);
    const isForm = path.startsWith("/v1/notebooks?") && chance(0.5);
    const body = isForm
      ? makeForm()
      : value === null
        ? Buffer.alloc(0)
        : Buffer.from(JSON.stringify(chance(0.7) ? mutateValue(value) : value));
    const draft: Draft = {
      method: chance(0.05) ? pick(METHODS) : method,
      path: chance(0.15) ? mutatePath(path) : path,
      headers: [
        ["host", "localhost"],
        ["content-type", isForm ? "multipart/form-data; boundary=b" : "application/json"],
      ],
      body: chance(0.2) ? mutateBytes(body) : body,
    };
    if (chance(0.2)) mutateHeaders(draft);
    return toRequest(draft);
  };
}

function toRequest({ method, path, headers, body }: Draft): FuzzedRequest {
  const isSized = headers.some(([name]) => name === "content-length");
  const all = [...headers, ...(isSized ? [] : [["content-length", String(body.length)]]), ["connection", "close"]];
  const head = `${method} ${path} HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}`).join("\r\n")}\r\n\r\n`;
  return {
    bytes: Buffer.concat([Buffer.from(head), body]),
    about: `${method} ${path.slice(0, 100)} ${JSON.stringify(all).slice(0, 300)} ${body.toString("latin1").slice(0, 300)}`,
  };
}
