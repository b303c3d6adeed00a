import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { stringify } from "yaml";
import type { Target } from "../../../../src/evaluate/target.js";
import { createFileTarget, type FileTargetOptions } from "../../../../src/evaluate/targets/file/file-target.js";
import { makeFolder } from "../../../http/service.js";
import {
  failureOf,
  findDeadUrl,
  notebook,
  type RecordedRequest,
  send,
  startServer,
  type TestServer,
} from "../servers.js";

const { execPath } = process;
const empty = { steps: [{ path: "/size" }], value: "size" };
const search = { steps: [{ method: "POST", path: "/ask", json: { q: "{{code}}", n: "{{k}}" } }], hits: "hits[*].code" };
const base = {
  count: empty,
  upload: { steps: [{ method: "POST", path: "/add", json: "{{notebook}}" }] },
  recommend: search,
};
const question = { code: "df.head()", k: 3 };

/** A target file in a folder of its own. */
function open(document: object, options: Partial<FileTargetOptions> = {}): Target & { folder: string } {
  const folder = makeFolder();
  writeFileSync(join(folder, "target.yaml"), stringify(document));
  const target = createFileTarget(join(folder, "target.yaml"), {
    reset: false,
    env: { PATH: process.env.PATH },
    timeoutMs: 2_000,
    ...options,
  });
  onTestFinished(() => target.close());
  return { ...target, folder };
}

/** A server that answers by method and path. */
const serve = (answers: Record<string, unknown>): Promise<TestServer> =>
  startServer((asked: RecordedRequest, response) => {
    const answer = answers[`${asked.method} ${asked.path}`];
    if (answer === undefined) send(response, 404, "nothing here");
    else if (typeof answer === "function") answer(asked, response);
    else send(response, 200, answer);
  });

const hits = { hits: [{ code: "a" }, { code: "b" }] };
const usual = { "GET /size": { size: 0 }, "POST /add": {}, "POST /ask": hits };

describe("upload", () => {
  it("sends each notebook as Jupyter writes it", async () => {
    const { url, asked } = await serve(usual);
    const target = open({ ...base, url });
    await target.prepare();
    await target.add([notebook("a.ipynb", "x = 1\ny", ""), notebook("b.ipynb", "z\n")]);
    const bodies = asked.slice(1).map(({ body }) => JSON.parse(body));
    expect(bodies[0]).toMatchObject({ nbformat: 4, metadata: { language_info: { name: "python" } } });
    const sources = bodies.map(({ cells }) => cells.map((cell: { source: unknown }) => cell.source));
    expect(sources).toEqual([[["x = 1\n", "y"], []], [["z\n"]]]);
    expect(asked[1]!.headers["content-type"]).toBe("application/json");
  });

  it("sends each cell, with consecutive numbers", async () => {
    const { url, asked } = await serve(usual);
    const json = { id: "{{name}}#{{index}}", n: "{{number}}", code: "{{code}}" };
    const target = open({ ...base, url, upload: { each: "cell", steps: [{ method: "POST", path: "/add", json }] } });
    await target.prepare();
    await target.add([notebook("a", "x", "y")]);
    await target.add([notebook("b", "{{z}}")]);
    expect(asked.slice(1).map(({ body }) => JSON.parse(body))).toEqual([
      { id: "a#0", n: 1, code: "x" },
      { id: "a#1", n: 2, code: "y" },
      { id: "b#0", n: 3, code: "{{z}}" },
    ]);
  });

  it("sends a batch", async () => {
    const { url, asked } = await serve(usual);
    const json = { all: "{{codes}}", cells: "{{cells}}", notebooks: "{{notebooks}}" };
    const target = open({ ...base, url, upload: { each: "batch", steps: [{ method: "POST", path: "/add", json }] } });
    await target.prepare();
    await target.add([notebook("a", "x", "y"), notebook("b", "z")]);
    expect(JSON.parse(asked[1]!.body)).toMatchObject({
      all: ["x", "y", "z"],
      cells: [
        { name: "a", index: 0, code: "x" },
        { name: "a", index: 1, code: "y" },
        { name: "b", index: 0, code: "z" },
      ],
      notebooks: [{ name: "a", notebook: { nbformat: 4 } }, { name: "b" }],
    });
  });

  it("sends forms, with and without files, and texts", async () => {
    const { url, asked } = await serve({ ...usual, "POST /form": {}, "POST /text?n=a%2Fb%20c": {} });
    const file = { content: "{{notebook}}", filename: "{{number}}.ipynb", type: "application/x-ipynb+json" };
    const steps = [
      { method: "POST", path: "/form", form: { file, title: "{{name}}" } },
      { method: "POST", path: "/form", form: { title: "{{name}}" } },
      { method: "POST", path: "/text?n={{name}}", text: "<{{notebook_json}}>", headers: { "Content-Type": "text/x" } },
    ];
    const target = open({ ...base, url, upload: { steps } });
    await target.prepare();
    await target.add([notebook("a/b c", "x")]);
    const [, multipart, plain, text] = asked;
    const parts = await new Response(multipart!.body, {
      headers: { "content-type": multipart!.headers["content-type"]! },
    }).formData();
    const sent = parts.get("file") as File;
    expect([sent.name, sent.type, parts.get("title")]).toEqual(["1.ipynb", "application/x-ipynb+json", "a/b c"]);
    expect(JSON.parse(await sent.text()).cells[0].source).toEqual(["x"]);
    expect(plain!.body).toBe("title=a%2Fb+c");
    expect(text!.headers["content-type"]).toBe("text/x");
    expect(text!.body).toMatch(/^<\{"cells".*\}>$/);
  });

  it("names the step and ends the run if it fails", async () => {
    const fail = (_: RecordedRequest, response: Parameters<typeof send>[0]) =>
      send(response, 507, { error: "disk full" });
    const { url } = await serve({ ...usual, "POST /add": fail });
    const target = open({ ...base, name: "other", url });
    await target.prepare();
    const { code, message } = await failureOf(() => target.add([notebook("a", "x")]));
    expect(code).toBe("TARGET_FAILED");
    expect(message).toBe(
      `The target other (${target.folder}/target.yaml) failed: upload.steps[0] (POST /add) answered 507: {"error":"disk full"}.`,
    );
  });

  it("takes the statuses that are expected, and no other", async () => {
    const step = (expectation: unknown) => ({
      ...base,
      upload: { steps: [{ method: "POST", path: "/none", expect: expectation }] },
    });
    const { url } = await serve(usual);
    for (const [expectation, fails] of [
      [404, false],
      [[200, 404], false],
      [200, true],
    ] as const) {
      const target = open({ ...step(expectation), url });
      await target.prepare();
      const result = await target.add([notebook("a", "x")]).then(
        () => false,
        () => true,
      );
      expect(result).toBe(fails);
    }
  });
});

describe("recommend", () => {
  const ask = async (
    answer: unknown,
    recommend: object = search,
    query: Parameters<Target["recommend"]>[0] = question,
  ) => {
    const { url, asked } = await serve({ ...usual, "POST /ask": answer });
    const target = open({ ...base, url, timeout: 0.3, recommend });
    await target.prepare();
    return { ...(await target.recommend(query)), asked };
  };

  it("sends code and k, and reads code, score and confidence from the given paths", async () => {
    const found = {
      data: {
        list: [
          { cell: { source: ["a\n", "b"] }, s: "0.5", p: 0.25 },
          { cell: { source: "c" }, p: 7 },
        ],
      },
    };
    const paths = { hits: "data.list", code: "cell.source", score: "s", confidence: "p" };
    const answer = await ask(found, { ...search, ...paths });
    expect(JSON.parse(answer.asked[1]!.body)).toEqual({ q: "df.head()", n: 3 });
    expect(answer.hits).toEqual([
      { code: "a\nb", score: 0.5, confidence: 0.25 },
      { code: "c", score: null, confidence: null },
    ]);
    expect(answer.junk).toBe(0);
    expect(answer.took.total).toBeGreaterThan(0);
  });

  it.each<[string, unknown, object, string[]]>([
    ["a list of codes", ["a", "b"], { hits: "" }, ["a", "b"]],
    ["a list of codes, every one", ["a", "b"], { hits: "[*]" }, ["a", "b"]],
    ["codes inside of hits", hits, { hits: "hits[*].code" }, ["a", "b"]],
    ["lists in a list", { groups: [["a"], ["b", "c"]] }, { hits: "groups[*][*]" }, ["a", "b", "c"]],
    ["an empty list", { hits: [] }, {}, []],
    ["more than k", ["a", "b", "c", "d"], { hits: "" }, ["a", "b", "c"]],
    ["a cell twice", ["a", "a", "b"], { hits: "" }, ["a", "a", "b"]],
  ])("reads %s", async (_, answer, paths, codes) => {
    const { hits: found, junk } = await ask(answer, { ...search, ...paths });
    expect(found.map(({ code }) => code)).toEqual(codes);
    expect(junk).toBe(0);
  });

  it("counts entries without code", async () => {
    const { hits: found, junk } = await ask({ hits: [{ code: "a" }, { text: "b" }, null] });
    expect([found.length, junk]).toEqual([1, 2]);
    expect(await ask({ hits: [{ code: "" }, { code: [" \n", "\t"] }] })).toMatchObject({ hits: [], junk: 2 });
  });

  it("sends the query as a notebook, below its context", async () => {
    const context = { before: ["import a", "b = 1"], markdown: "# Title" };
    const json = {
      book: "{{notebook}}",
      at: "{{index}}",
      name: "{{name}}",
      md: "{{context.markdown}}",
      up: "{{context.before}}",
    };
    const recommend = { ...search, steps: [{ method: "POST", path: "/ask", json }] };
    const { asked } = await ask(hits, recommend, { ...question, context });
    const { book, ...rest } = JSON.parse(asked[1]!.body);
    expect(rest).toEqual({ at: 3, name: "query-1.ipynb", md: "# Title", up: ["import a", "b = 1"] });
    expect(book.cells.map((cell: Record<string, unknown>) => [cell.cell_type, cell.source])).toEqual([
      ["code", ["import a"]],
      ["code", ["b = 1"]],
      ["markdown", ["# Title"]],
      ["code", ["df.head()"]],
    ]);
  });

  it("uses a value of an earlier answer", async () => {
    const { url, asked } = await serve({
      ...usual,
      "POST /login": { session: { token: "t-1" } },
      "POST /upload": { id: 7 },
      "GET /similar/7?k=3": [{ code: "a" }],
    });
    const headers = { authorization: "Bearer {{saved.token}}" };
    const target = open({
      ...base,
      url,
      prepare: { steps: [{ method: "POST", path: "/login", save: { token: "session.token" } }] },
      recommend: {
        steps: [
          { method: "POST", path: "/upload", headers, json: "{{notebook}}", save: { id: "id" } },
          { path: "/similar/{{saved.id}}?k={{k}}", headers },
        ],
        hits: "[*].code",
      },
    });
    await target.prepare();
    expect((await target.recommend(question)).hits).toEqual([{ code: "a", score: null, confidence: null }]);
    expect(asked.map(({ path }) => path)).toEqual(["/login", "/size", "/upload", "/similar/7?k=3"]);
    expect(asked.at(-1)!.headers.authorization).toBe("Bearer t-1");
  });

  it.each<[string, unknown, string]>([
    ["never answers", () => {}, "timeouts"],
    ["hangs up", (_: RecordedRequest, response: { destroy(): void }) => response.destroy(), "errorsOther"],
    ["fails", (_: RecordedRequest, response: Parameters<typeof send>[0]) => send(response, 502, "oops"), "errors5xx"],
    ["has no such route", undefined, "errorsOther"],
    ["sends junk", "{]", "junk"],
    ["sends nothing", "", "junk"],
    ["sends other fields", { results: [] }, "junk"],
    ["sends no list", { hits: "a" }, "junk"],
  ])("is a fault if the target %s", async (_, answer, kind) => {
    expect((await failureOf(() => ask(answer))).code).toBe(kind);
  });

  it("is a fault if the answer lacks a value to save", async () => {
    const recommend = { ...search, steps: [{ method: "POST", path: "/ask", save: { id: "id" } }] };
    const { code, message } = await failureOf(() => ask(hits, recommend));
    expect(code).toBe("junk");
    expect(message).toBe("recommend.steps[0] (POST /ask) did not return the value at save.id");
  });
});

describe("the preparation of a target", () => {
  const holding = (size: number) => {
    let cells = size;
    return serve({
      ...usual,
      "GET /size": (_: RecordedRequest, response: Parameters<typeof send>[0]) => send(response, 200, { size: cells }),
      "DELETE /all": (_: RecordedRequest, response: Parameters<typeof send>[0]) => {
        cells = 0;
        send(response, 204, "");
      },
      "DELETE /none": {},
    });
  };
  const reset = (path: string) => ({ steps: [{ method: "DELETE", path }] });

  it.each<[string, object, boolean, string]>([
    [
      "is full",
      { count: empty, reset: reset("/all") },
      false,
      "contains 5 cells; an evaluation needs an empty one. Give --reset-target",
    ],
    ["cannot be emptied", { count: empty }, true, "Its file has no reset: add one, or empty it yourself."],
    ["stays full", { count: empty, reset: reset("/none") }, true, "Its reset was run, but did not remove them."],
    [
      "has no count",
      { count: undefined, reset: reset("/all") },
      false,
      "is empty is not known, because its file has no count",
    ],
    ["counts wrongly", { count: { ...empty, value: "cells" } }, false, "has no number at count.value in its answer"],
    [
      "cannot be counted",
      { count: { ...empty, steps: [{ path: "/none" }] } },
      false,
      "count.steps[0] (GET /none) answered 404",
    ],
    ["fails to reset", { reset: reset("/other") }, true, "reset.steps[0] (DELETE /other) answered 404"],
  ])("fails if the target %s", async (_, parts, isReset, expected) => {
    const { url, asked } = await holding(5);
    const { code, message } = await failureOf(() => open({ ...base, url, ...parts }, { reset: isReset }).prepare());
    expect(code).toBe("TARGET_FAILED");
    expect(message).toContain(expected);
    if (!isReset) expect(asked.filter(({ method }) => method === "DELETE")).toEqual([]);
  });

  it("runs the reset, then counts the cells", async () => {
    const { url, asked } = await holding(5);
    await open({ ...base, url, reset: reset("/all") }, { reset: true }).prepare();
    expect(asked.map(({ method }) => method)).toEqual(["DELETE", "GET"]);
  });

  it("counts the items if the count is a list", async () => {
    const { url } = await serve({ "GET /size": { all: [1, 2] } });
    const { message } = await failureOf(() => open({ ...base, url, count: { ...empty, value: "all" } }).prepare());
    expect(message).toContain("contains 2 cells");
  });

  it("fails if the server is not running", async () => {
    const { code, message } = await failureOf(async () => open({ ...base, url: await findDeadUrl() }).prepare());
    expect(code).toBe("TARGET_FAILED");
    expect(message).toContain("count.steps[0] (GET /size) could not be reached: connection refused");
  });
});

describe("commands", () => {
  const script = (code: string, ...args: string[]) => [execPath, "-e", code, ...args];
  const withReset = (...steps: object[]) => ({
    ...base,
    count: undefined,
    reset: { steps },
    url: "http://localhost:1",
  });
  const run = (step: object, options: Partial<FileTargetOptions> = {}) => {
    const target = open(withReset(step), { reset: true, ...options });
    return { target, failure: () => failureOf(() => target.prepare()) };
  };

  it("run in the folder of the file, without a shell", async () => {
    const { target } = run({
      command: script("fs.writeFileSync('out', process.argv[1] + process.env.A)", "$(id) *"),
      env: { A: "!" },
    });
    await target.prepare();
    expect(readFileSync(join(target.folder, "out"), "utf8")).toBe("$(id) *!");
  });

  it("run in a shell on request", async () => {
    const { target } = run({ shell: 'echo "$A" | tr a b > out', env: { A: "a{{port}}" } });
    await target.prepare();
    expect(readFileSync(join(target.folder, "out"), "utf8")).toMatch(/^b\d+\n$/);
  });

  it("may end with another code if that is expected", async () => {
    await run({ command: script("process.exit(3)"), expect: [0, 3] }).target.prepare();
  });

  it("can be the whole recommender", async () => {
    const code = "const q = fs.readFileSync(0, 'utf8'); console.log(JSON.stringify([q, process.argv[1]]))";
    const target = open(
      {
        ...base,
        count: undefined,
        reset: { steps: [{ command: script("") }] },
        upload: {
          each: "cell",
          steps: [{ command: script("fs.appendFileSync('all', fs.readFileSync(0))"), stdin: "{{code}}\n" }],
        },
        recommend: { steps: [{ command: script(code, "{{k}}"), stdin: "{{code}}" }], hits: "" },
      },
      { reset: true },
    );
    await target.prepare();
    await target.add([notebook("a", "x = 'é'", "y")]);
    expect(readFileSync(join(target.folder, "all"), "utf8")).toBe("x = 'é'\ny\n");
    expect((await target.recommend(question)).hits.map((hit) => hit.code)).toEqual(["df.head()", "3"]);
  });

  it.each<[string, object, string]>([
    [
      "fail",
      { command: script("console.error('no database'); process.exit(2)") },
      "ended with exit code 2: no database.",
    ],
    ["do not exist", { command: ["no-such-program-here"] }, "could not be run: spawn no-such-program-here ENOENT."],
    ["have a missing folder", { command: [execPath], cwd: "none" }, "could not be run: spawn"],
    ["take too long", { command: script("setTimeout(() => {}, 1e5)"), timeout: 0.3 }, "did not end within 0.3 s."],
    ["are killed", { command: script("process.kill(process.pid, 'SIGKILL')") }, "was ended by SIGKILL."],
  ])("that %s end the run", async (_, step, expected) => {
    const { code, message } = await run(step).failure();
    expect(code).toBe("TARGET_FAILED");
    expect(message).toContain("failed: reset.steps[0] (");
    expect(message).toContain(expected);
  });

  it("end the processes that they started", async () => {
    const { target, failure } = run({ shell: "sleep 600 & echo $! > pid; wait", timeout: 3 });
    await failure();
    const pid = Number(readFileSync(join(target.folder, "pid"), "utf8"));
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 20_000 });
  });
});

describe("a server of the file", () => {
  const code = `const http = require("http"); http.createServer((q, r) => r.end('{"size": 0}')).listen(process.argv[1], "127.0.0.1")`;
  const started = (source: string, ready: object = { path: "/size" }) => ({
    ...base,
    url: "http://127.0.0.1:{{port}}",
    start: { command: [execPath, "-e", source, "{{port}}"] },
    ready,
  });

  it("is started, waited for and stopped", async () => {
    const pidFile = "require('fs').writeFileSync('pid', String(process.pid));";
    const target = open(started(pidFile + code));
    await target.prepare();
    const pid = Number(readFileSync(join(target.folder, "pid"), "utf8"));
    expect(process.kill(pid, 0)).toBe(true);
    await target.close();
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });

  it("needs no count if it has no reset, because a new server is empty", async () => {
    await open({ ...started(code), count: undefined }).prepare();
  });

  it("is reported with its output if it ends at once", async () => {
    const { code: kind, message } = await failureOf(() => open(started("throw new Error('port taken')")).prepare());
    expect(kind).toBe("TARGET_FAILED");
    expect(message).toContain("ended with exit code 1: ");
    expect(message).toContain("port taken");
  });

  it("is reported if it cannot be run", async () => {
    const document = { ...started(code), start: { command: ["no-such-program-here"] } };
    const { message } = await failureOf(() => open(document).prepare());
    expect(message).toContain("start (no-such-program-here) could not be run: spawn no-such-program-here ENOENT");
  });

  it("is stopped and reported if it never becomes ready", async () => {
    const target = open(
      started("fs.writeFileSync('pid', String(process.pid)); setInterval(() => {}, 1e3)", {
        path: "/size",
        timeout: 0.8,
      }),
    );
    const { message } = await failureOf(() => target.prepare());
    expect(message).toContain("ready (GET /size) could not be reached: connection refused");
    const pid = Number(readFileSync(join(target.folder, "pid"), "utf8"));
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });
});

describe("secrets", () => {
  const SECRET = 's3cret "value"/';
  const env = { PATH: process.env.PATH, SECRET };
  const echo = ({ headers, path, body }: RecordedRequest, response: Parameters<typeof send>[0]) =>
    send(response, 400, { headers, path, body });

  it.each<[string, object]>([
    ["a header", { path: "/x", headers: { "x-key": "{{env.SECRET}}" } }],
    ["a path", { path: "/x/{{env.SECRET}}" }],
    ["a body", { method: "POST", path: "/x", json: { key: "{{env.SECRET}}" } }],
    ["a text", { method: "POST", path: "/x", text: "{{env.SECRET_json}}" }],
    ["an invalid url", { url: "{{env.SECRET}}" }],
    ["an invalid header", { path: "/x", headers: { "x-key": "{{env.SECRET}}\n" } }],
    ["a command", { command: [execPath, "-e", "console.error(process.argv[1]); process.exit(1)", "{{env.SECRET}}"] }],
    ["a program that does not exist", { command: ["{{env.SECRET}}"] }],
    ["a variable", { shell: 'echo "$KEY" >&2; exit 1', env: { KEY: "{{env.SECRET}}" } }],
  ])("in %s are not shown", async (_, step) => {
    const { url } = await startServer(echo);
    const target = open({ ...base, url, count: undefined, reset: { steps: [step] } }, { reset: true, env });
    const { code, message } = await failureOf(() => target.prepare());
    expect(code).toBe("TARGET_FAILED");
    expect(message).not.toContain("s3cret");
    expect(JSON.stringify(target.settings)).not.toContain("s3cret");
  });

  it("are not shown if a step saved them", async () => {
    const { url } = await serve({ "POST /login": { token: "t0ken-of-the-session" }, "GET /size": echo });
    const login = { method: "POST", path: "/login", save: { token: "token" } };
    const count = { steps: [{ path: "/size", headers: { authorization: "{{saved.token}}" } }], value: "size" };
    const { message } = await failureOf(() => open({ ...base, url, prepare: { steps: [login] }, count }).prepare());
    expect(message).toContain("answered 400");
    expect(message).not.toContain("t0ken");
  });

  it("records the hash of the target file in its settings, without values of the environment", () => {
    const target = open({ ...base, name: "mine", url: "{{env.BASE}}" }, { env: { BASE: "http://hidden" } });
    expect(target.name).toBe("mine");
    expect(target.settings).toEqual({
      target: "mine",
      url: "{{env.BASE}}",
      each: "notebook",
      targetFileSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });
});

describe("a generator of text", () => {
  const generate = "process.stdin.on('data', (text) => process.stdout.write('# ' + text))";
  const command = [execPath, "-e", generate];

  it("needs no upload and no count; without a path to hits, its output is the code", async () => {
    const target = open({ recommend: { steps: [{ command, stdin: "{{context.markdown}} {{context.variables}}" }] } });
    await target.prepare();
    await target.add([notebook("a", "x")]);
    const context = { before: [], markdown: "Load it", variables: { df: "DataFrame" } };
    const { hits: found, junk } = await target.recommend({ code: "", k: 3, context });
    expect([found.map(({ code }) => code), junk]).toEqual([['# Load it {"df":"DataFrame"}'], 0]);
  });

  it("may answer JSON with one text instead of a list", async () => {
    const { url } = await serve({ "POST /ask": { choice: { text: "df.head()" } } });
    const target = open({ url, recommend: { ...search, hits: "choice.text" } });
    await target.prepare();
    expect((await target.recommend(question)).hits).toEqual([{ code: "df.head()", score: null, confidence: null }]);
  });
});

describe("a target that completes at a cursor", () => {
  const cursor = { prefix: "df.", suffix: "\nx", k: 2, context: { before: ["a"], markdown: "M" } };

  it("answers a list of texts with confidences", async () => {
    const { url, asked } = await serve({
      "POST /fill": {
        choices: [
          { text: "head()", p: 0.9 },
          { text: "tail()", p: 2 },
          { text: "sum()", p: 0.1 },
        ],
      },
    });
    const json = { prompt: "{{prefix}}", suffix: "{{suffix}}", n: "{{k}}", above: "{{context.before}}" };
    const complete = {
      steps: [{ method: "POST", path: "/fill", json }],
      completions: "choices[*]",
      text: "text",
      confidence: "p",
    };
    const target = open({ url, complete });
    await target.prepare();
    const { completions, junk, took } = await target.complete!(cursor);
    expect(completions).toEqual([
      { text: "head()", confidence: 0.9 },
      { text: "tail()", confidence: null },
    ]);
    expect([junk, Object.keys(took), target.canRecommend]).toEqual([0, ["total"], false]);
    expect(JSON.parse(asked[0]!.body)).toEqual({ prompt: "df.", suffix: "\nx", n: 2, above: ["a"] });
    expect(await failureOf(() => target.recommend(question))).toMatchObject({ code: "errorsOther" });
  });

  it("may print the one text, or nothing", async () => {
    const echo = "process.stdin.on('data', (text) => process.stdout.write(String(text) === 'x' ? '' : 'head()\\n'))";
    const target = open({ complete: { steps: [{ command: [execPath, "-e", echo], stdin: "{{prefix}}" }] } });
    await target.prepare();
    expect((await target.complete!(cursor)).completions).toEqual([{ text: "head()", confidence: null }]);
    expect((await target.complete!({ ...cursor, prefix: "x" })).completions).toEqual([]);
  });

  it("does not complete without that part of the file", () => {
    expect(open({ ...base, url: "http://127.0.0.1:1" }).complete).toBeUndefined();
  });
});

/** An orphaned process may remain as a zombie, which `process.kill(pid, 0)` treats as running. */
function isRunning(pid: number): boolean {
  const state = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim();
  return state !== "" && !state.startsWith("Z");
}
