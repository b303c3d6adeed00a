import { spawn, spawnSync } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { appendFileSync, existsSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { askAll } from "../../../../src/evaluate/runner/ask-target.js";
import type { Target } from "../../../../src/evaluate/target.js";
import { createBaseline } from "../../../../src/evaluate/targets/baseline.js";
import { questionKey } from "../../../../src/evaluate/targets/model/chat-api.js";
import { createModelTarget, type ModelTargetOptions } from "../../../../src/evaluate/targets/model/model-target.js";
import { parsePrompt, readPrompt } from "../../../../src/evaluate/targets/model/prompts.js";
import { fastFolder } from "../../../fast-folder.js";
import { failureOf, notebook, send, startServer } from "../servers.js";

const PROMPT = parsePrompt(
  "--- user ---\n{{cells}}\n\n{{code}}\n--- prompt ---\n{{prefix}}\n--- suffix ---\n{{suffix}}",
  "test",
);
const USAGE = { prompt_tokens: 10, completion_tokens: 2 };
const reply = (content: string, finish_reason = "stop") => ({
  choices: [{ message: { role: "assistant", content }, finish_reason }],
  usage: USAGE,
});

const newFolder = () => mkdtempSync(join(fastFolder, "answers-"));
function open(url: string, options: Partial<ModelTargetOptions> = {}): Target {
  const target = createModelTarget({
    url,
    api: "chat",
    model: "tiny",
    prompt: PROMPT,
    cacheFolder: newFolder(),
    timeoutMs: 5_000,
    retryMs: 1,
    ...options,
  });
  onTestFinished(() => target.close());
  return target;
}
const question = { code: "df.", k: 3 };
const codesOf = async (target: Target, code = "df.") =>
  (await target.recommend({ code, k: 3 })).hits.map((hit) => hit.code);

describe("a language model", () => {
  it("gets the prompt, temperature 0 and a seed, and answers with a cell", async () => {
    const server = await startServer((_, response) => send(response, 200, reply("```python\ndf.head()\n```")));
    const target = open(server.url, { key: "secret-key" });
    // The model's code is executed in the strong sandbox only.
    expect(target.generates).toBe(true);
    const { hits, junk } = await target.recommend(question);
    expect({ hits, junk }).toEqual({
      hits: [{ code: "df.head()", insert: "head()", raw: "```python\ndf.head()\n```", score: null, confidence: null }],
      junk: 0,
    });
    const [asked] = server.asked;
    expect([asked!.path, asked!.headers.authorization, JSON.parse(asked!.body)]).toEqual([
      "/v1/chat/completions",
      "Bearer secret-key",
      { model: "tiny", messages: [{ role: "user", content: "df." }], temperature: 0, seed: 1, max_tokens: 512 },
    ]);
  });

  it("takes other settings, and leaves out those that are null", async () => {
    const server = await startServer((_, response) => send(response, 200, reply("x")));
    const settings = { temperature: null, max_tokens: null, max_completion_tokens: 9 };
    await open(`${server.url}/api/`, { settings }).recommend(question);
    expect([server.asked[0]!.path, JSON.parse(server.asked[0]!.body)]).toEqual([
      "/api/chat/completions",
      { model: "tiny", messages: [{ role: "user", content: "df." }], seed: 1, max_completion_tokens: 9 },
    ]);
  });

  it("gives no cell for an empty answer", async () => {
    const server = await startServer((_, response) =>
      send(response, 200, { choices: [{ message: { content: null } }] }),
    );
    expect(await codesOf(open(server.url))).toEqual([]);
  });

  it("gets retrieved cells in the prompt", async () => {
    const server = await startServer((_, response) => send(response, 200, reply("x")));
    const target = open(server.url, { retrieval: { target: createBaseline("bm25"), cells: 2 } });
    await target.prepare();
    await target.add([notebook("a", "df.head(5)", "plt.show()", "df.head(6)")]);
    const { took } = await target.recommend({ code: "df.head", k: 1 });
    const [message] = JSON.parse(server.asked[0]!.body).messages;
    expect(message.content).toBe("# %%\ndf.head(5)\n\n# %%\ndf.head(6)\n\ndf.head");
    expect([target.name, Object.keys(took)]).toEqual(["openai:tiny with 2 cells", ["retrieval", "model", "total"]]);
  });

  it("shows its prompt and sends no request in a dry run", async () => {
    const server = await startServer((_, response) => send(response, 200, reply("x")));
    const shown: string[] = [];
    const { hits } = await open(server.url, { onPrompt: (prompt) => shown.push(prompt) }).recommend(question);
    expect([hits, server.asked]).toEqual([[], []]);
    expect(shown).toEqual([
      '--- user ---\ndf.\n\n--- settings ---\n{"model":"tiny","temperature":0,"seed":1,"max_tokens":512}',
    ]);
  });
});

describe("at a cursor", () => {
  const query = { prefix: "import os\ndf.gro", suffix: "\nx", k: 3, context: { before: ["a = 1"], markdown: "" } };
  it.each([
    ["the rest of the line", 'upby("a")', 'upby("a")'],
    ["a repeated line", 'df.groupby("a")', 'upby("a")'],
    ["a repeated cell in a fence", '```python\nimport os\ndf.groupby("a")\nx\n```', 'upby("a")'],
    ["several lines", "upby(\n  1)", "upby("],
  ])("a chat model gives %s", async (_, said, text) => {
    const server = await startServer((_asked, response) => send(response, 200, reply(said)));
    const answer = await open(server.url, { prompt: readPrompt("cursor") }).complete!(query);
    expect(answer.completions).toEqual([{ text, confidence: null }]);
    expect(JSON.parse(server.asked[0]!.body).messages[1].content).toContain("import os\ndf.gro<CURSOR>\nx");
  });

  it("a completions server fills in the middle", async () => {
    const server = await startServer((_, response) => send(response, 200, { choices: [{ text: " upby()\n" }] }));
    const target = open(server.url, { api: "completions", prompt: readPrompt("cursor") });
    expect((await target.complete!(query)).completions).toEqual([{ text: " upby()", confidence: null }]);
    expect([server.asked[0]!.path, JSON.parse(server.asked[0]!.body)]).toEqual([
      "/v1/completions",
      {
        model: "tiny",
        prompt: "# %%\na = 1\n\n# %%\nimport os\ndf.gro",
        suffix: "\nx",
        stop: ["\n"],
        temperature: 0,
        seed: 1,
        max_tokens: 64,
      },
    ]);
  });
});

describe("a server that fails", () => {
  it("is asked again after 500, a broken connection, half an answer and a timeout", async () => {
    const server = await startServer((_, response) => {
      const tries = server.asked.length;
      if (tries === 1) send(response, 500, "oops");
      else if (tries === 2) response.destroy();
      else if (tries === 3)
        response.writeHead(200, { "content-length": "1000" }).write('{"choices": [', () => response.destroy());
      else if (tries === 4) send(response, 200, '{"choices": [{"mess');
      else if (tries === 6) send(response, 200, reply("x = 1"));
      // The fifth question is never answered.
    });
    expect(await codesOf(open(server.url, { timeoutMs: 300 }))).toEqual(["x = 1"]);
    expect(server.asked).toHaveLength(6);
  });

  it("fails after six tries, with the kind of the failure", async () => {
    const server = await startServer((_, response) => send(response, 503, "busy"));
    const failure = await failureOf(() => open(server.url).recommend(question));
    expect(failure).toEqual({
      code: "errors5xx",
      message: `POST ${server.url}/v1/chat/completions answered 503: busy`,
    });
    expect(server.asked).toHaveLength(6);
  });

  it("delays all questions for the time in Retry-After if it is busy", async () => {
    const times: number[] = [];
    const server = await startServer((_, response) => {
      times.push(performance.now());
      if (times.length === 1) send(response, 429, "slow down", { "retry-after": "1" });
      else send(response, 200, reply("x"));
    });
    const target = open(server.url);
    let isOver = false;
    const first = target.recommend(question).finally(() => {
      isOver = true;
    });
    // Meanwhile, other questions are asked one after another. Their answers must not arrive while the first one waits.
    for (let at = 0; !isOver; at += 1) await target.recommend({ ...question, code: `other ${at}` });
    await first;
    const pauses = times.slice(1).map((time, at) => time - times[at]!);
    // Timers may fire a millisecond early.
    expect(Math.max(...pauses)).toBeGreaterThan(990);
  });

  it("is not retried if that cannot help", async () => {
    const server = await startServer((_, response) => send(response, 400, { error: "too long" }));
    const failure = await failureOf(() => open(server.url).recommend(question));
    expect([failure.code, server.asked.length]).toEqual(["errorsOther", 1]);
  });

  it.each([
    [401, "Give the key in CELREC_OPENAI_KEY or OPENAI_API_KEY."],
    [404, "Is the model's name right"],
  ])("ends the run with advice at %i, and without the key", async (status, advice) => {
    const server = await startServer((_, response) => send(response, status, "no: secret-key"));
    const failure = await failureOf(() => open(server.url, { key: "secret-key" }).recommend(question));
    expect(failure.code).toBe("TARGET_FAILED");
    expect(failure.message).toContain(`answered ${status}: no: ***. ${advice}`);
    expect(server.asked).toHaveLength(1);
  });

  it("may stream, and is asked again if the stream breaks off", async () => {
    const events = ["df", ".head()"].map(
      (content) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`,
    );
    const server = await startServer((_, response) => {
      const isFirst = server.asked.length === 1;
      const end = `data: ${JSON.stringify({ choices: [], usage: USAGE })}\n\ndata: [DONE]\n\n`;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(events.join("") + (isFirst ? "" : end));
    });
    const target = open(server.url);
    expect(await codesOf(target)).toEqual(["df.head()"]);
    expect([server.asked.length, target.usage!()]).toMatchObject([2, { tokensIn: 10, tokensOut: 2 }]);
  });
});

describe("the cache", () => {
  it("answers a second run from the cache, and counts the saved cost", async () => {
    const server = await startServer((_, response) => send(response, 200, reply("x", "length")));
    const options = { cacheFolder: newFolder(), prices: { in: 1, out: 100 } };
    const first = open(server.url, options);
    await codesOf(first, "a");
    await codesOf(first, "b");
    const second = open(server.url, options);
    await codesOf(second, "a");
    await codesOf(second, "c");
    expect(server.asked).toHaveLength(3);
    expect(first.usage!()).toEqual({
      ...{ answers: 2, asked: 2, fromCache: 0, tokensIn: 20, tokensOut: 4, truncated: 2 },
      ...{ costOfRun: 0.00042, costOfAnswers: 0.00042 },
    });
    expect(second.usage!()).toEqual({
      ...{ answers: 2, asked: 1, fromCache: 1, tokensIn: 20, tokensOut: 4, truncated: 2 },
      ...{ costOfRun: 0.00021, costOfAnswers: 0.00042 },
    });
  });

  it("distinguishes address, model, prompt and settings", async () => {
    const server = await startServer((_, response) => send(response, 200, reply("x")));
    const cacheFolder = newFolder();
    const ask = (options: Partial<ModelTargetOptions>) => codesOf(open(server.url, { cacheFolder, ...options }));
    await ask({});
    await ask({ model: "other" });
    await ask({ maxTokens: 7 });
    await ask({ settings: { top_p: 0.5 } });
    await ask({ prompt: parsePrompt("--- user ---\nNew: {{code}}", "new") });
    await ask({ url: `${server.url}/v2` });
    expect(server.asked).toHaveLength(6);
    await ask({ maxTokens: 7 });
    await ask({ prices: { in: 1, out: 1 } });
    expect(server.asked).toHaveLength(6);
  });

  it("survives half a line", async () => {
    const server = await startServer((_, response) => send(response, 200, reply("x")));
    const cacheFolder = newFolder();
    await codesOf(open(server.url, { cacheFolder }), "a");
    appendFileSync(join(cacheFolder, readdirSync(cacheFolder).find((name) => name.endsWith(".jsonl"))!), '{"key": "12');
    await codesOf(open(server.url, { cacheFolder }), "b");
    const third = open(server.url, { cacheFolder });
    await codesOf(third, "a");
    await codesOf(third, "b");
    expect(server.asked).toHaveLength(2);
  });

  it("sends one request for two equal concurrent questions", async () => {
    const server = await startServer((_, response) => send(response, 200, reply("x")));
    const target = open(server.url);
    await Promise.all([codesOf(target), codesOf(target), codesOf(target)]);
    expect([server.asked.length, target.usage!()]).toMatchObject([1, { answers: 3, asked: 1, fromCache: 2 }]);
  });

  it("asks each of 1,000 questions once in a run that is interrupted five times", async () => {
    const server = await startServer((asked, response) => {
      const { messages } = JSON.parse(asked.body);
      send(response, 200, reply(`answer ${messages[0].content}`));
    });
    const cacheFolder = newFolder();
    const questions = Array.from({ length: 1_000 }, (_, at) => ({ key: at, query: { code: `q${at}`, k: 1 } }));
    const run = async (stopAfter: number) => {
      const stop = new AbortController();
      const target = open(server.url, { cacheFolder, signal: stop.signal });
      const answers = new Map<number, string>();
      await askAll(target, questions, { jobs: 8, signal: stop.signal }, ({ key, answer }) => {
        answers.set(key, answer.hits[0]!.code);
        if (answers.size === stopAfter) stop.abort();
      });
      return { answers, usage: target.usage!() };
    };
    for (const stopAfter of [1, 150, 400, 401, 850]) {
      const { answers } = await run(stopAfter);
      expect(answers.size).toBeLessThan(1_000);
    }
    const { answers, usage } = await run(Number.POSITIVE_INFINITY);
    expect([...answers].sort(([one], [other]) => one - other)).toEqual(
      questions.map(({ key }) => [key, `answer q${key}`]),
    );
    expect(new Set(server.asked.map(({ body }) => body)).size).toBe(1_000);
    expect(server.asked).toHaveLength(1_000);
    expect(usage.answers).toBe(1_000);
  });

  it("keeps the answers to open requests when the run is killed", async () => {
    const cacheFolder = newFolder();
    const waiting: (() => void)[] = [];
    const progress = new EventEmitter();
    const areAsked = once(progress, "asked");
    const server = await startServer((asked, response) => {
      const { messages } = JSON.parse(asked.body);
      waiting.push(() => send(response, 200, reply(`answer ${messages[0].content}`)));
      if (waiting.length === 3) progress.emit("asked");
    });
    const killed = spawn(process.execPath, ["--input-type=module", "--eval", RUN, server.url, cacheFolder], {
      stdio: "inherit",
    });
    await areAsked;
    killed.kill("SIGKILL");
    await once(killed, "exit");
    const target = open(server.url, { cacheFolder, timeoutMs: 60_000 });
    const answers = Promise.all(["q0", "q1", "q2"].map((code) => codesOf(target, code)));
    for (const answer of waiting) answer();
    expect(await answers).toEqual([["answer q0"], ["answer q1"], ["answer q2"]]);
    expect(server.asked).toHaveLength(3);
    expect(readdirSync(join(cacheFolder, "asking"))).toEqual([]);
  });

  it("sends one request for equal questions of two runs, and asks again what a run has left unanswered", async () => {
    const cacheFolder = newFolder();
    const server = await startServer((_, response) => send(response, 200, reply("x")));
    const [one, two] = [open(server.url, { cacheFolder }), open(server.url, { cacheFolder })];
    const both = await Promise.all(["a", "b", "c"].flatMap((code) => [codesOf(one, code), codesOf(two, code)]));
    expect(both).toEqual(new Array(6).fill(["x"]));
    expect(server.asked).toHaveLength(3);
    const { pid } = spawnSync(process.execPath, ["--version"]);
    const file = join(cacheFolder, "asking", questionKey(`${server.url}/v1 chat`, bodyOf("d")));
    writeFileSync(file, String(pid));
    expect(await codesOf(one, "d")).toEqual(["x"]);
    expect([server.asked.length, existsSync(file)]).toEqual([4, false]);
  });
});

const bodyOf = (content: string) => ({
  model: "tiny",
  messages: [{ role: "user", content }],
  temperature: 0,
  seed: 1,
  max_tokens: 512,
});

/** Asks three questions at once, with the built program. */
const RUN = `
const { createModelTarget } = await import(${JSON.stringify(pathToFileURL("dist/src/evaluate/targets/model/model-target.js"))});
const { parsePrompt } = await import(${JSON.stringify(pathToFileURL("dist/src/evaluate/targets/model/prompts.js"))});
const [url, cacheFolder] = process.argv.slice(1);
const prompt = parsePrompt("--- user ---\\n{{code}}", "test");
const target = createModelTarget({ url, api: "chat", model: "tiny", prompt, cacheFolder, timeoutMs: 60_000 });
await Promise.all(["q0", "q1", "q2"].map((code) => target.recommend({ code, k: 1 })));
`;
