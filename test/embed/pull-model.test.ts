import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createCodebertEmbedder } from "../../src/embed/codebert.js";
import type { DownloadProgress } from "../../src/embed/hub.js";
import { type PullOptions, pullModel } from "../../src/embed/pull-model.js";
import { celrec } from "../cli/celrec.js";

const TINY = "test/fixtures/tiny-roberta";
const WEIGHTS = "onnx/model.onnx";
const FILES = ["config.json", "tokenizer.json", "tokenizer_config.json", WEIGHTS];

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "celrec-pull-"));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

interface Hub {
  readonly url: string;
  /** Method, path and range of every request. */
  readonly asked: string[];
  /** Bytes after which the next connections for the weights send nothing more, but stay open. */
  readonly stalls: number[];
  /** Breaks the connection that sends nothing more. */
  breakStalled(): void;
  /** Content to send instead of the content of a file. */
  readonly instead: Map<string, Buffer>;
  /** The status by which a model is refused. */
  readonly refusing: Map<string, number>;
}

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/**
 * A local hub: it sends small files directly with git's hash, and redirects large ones with their sha-256, in ranges.
 * As with the real hub, the storage has its own ETags, and its signed addresses are valid for one GET.
 */
async function serveHub(models: Readonly<Record<string, string>>): Promise<Hub> {
  const asked: string[] = [];
  const stalls: number[] = [];
  let stalled: ServerResponse | undefined;
  const instead = new Map<string, Buffer>();
  const refusing = new Map<string, number>();
  let signature = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, headers } = request;
    const [url = "", signed] = (request.url ?? "").split("?signature=");
    asked.push([method, url, headers.range].filter((part) => part !== undefined).join(" "));
    const isStorage = url.startsWith("/storage/");
    if (isStorage && (method !== "GET" || signed !== `${signature}`)) return response.writeHead(403).end();
    signature += 1;
    const [, id = "", file = ""] = /^\/(?:storage\/)?([^/]+\/[^/]+)\/resolve\/main\/(.+)$/.exec(url) ?? [];
    const refusal = refusing.get(id);
    if (refusal !== undefined) return response.writeHead(refusal).end();
    const folder = models[id];
    const real = folder === undefined ? null : await readFile(join(folder, file)).catch(() => null);
    if (real === null) return response.writeHead(404).end();
    const content = instead.get(file) ?? real;
    const sha = createHash("sha256").update(real).digest("hex");
    if (file === WEIGHTS && !isStorage) {
      const linked = { "x-linked-size": `${real.length}`, "x-linked-etag": `"${sha}"` };
      return response.writeHead(302, { ...linked, location: `/storage${url}?signature=${signature}` }).end();
    }
    const git = createHash("sha1").update(`blob ${real.length}\0`).update(real).digest("hex");
    const etag = `"${isStorage ? createHash("md5").update(real).digest("hex") : git}"`;
    const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? "")?.[1] ?? 0);
    const isPart = from > 0 && [undefined, etag].includes(headers["if-range"] as string | undefined);
    const body = isPart ? content.subarray(from) : content;
    response.writeHead(isPart ? 206 : 200, { etag, "content-length": `${body.length}`, "accept-ranges": "bytes" });
    if (method === "HEAD") return response.end();
    const stall = isStorage ? stalls.shift() : undefined;
    if (stall === undefined) return response.end(body);
    stalled = response;
    response.write(body.subarray(0, stall));
  };
  const breakStalled = () => void stalled?.destroy();
  const server = createServer((request, response) => void answer(request, response));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    stalls,
    breakStalled,
    instead,
    refusing,
  };
}

async function options(hub: string, more: Partial<PullOptions> = {}): Promise<PullOptions> {
  const dataFolder = await mkdtemp(join(scratch, "data-"));
  return { name: "codebert", ids: ["some/tiny"], hub, dataFolder, converter: "scripts/convert-codebert.py", ...more };
}

/** Waits until the unfinished file of the weights has this size. */
async function untilWritten({ dataFolder }: PullOptions, bytes: number): Promise<void> {
  const written = async () => {
    const names = await readdir(dataFolder, { recursive: true });
    const part = names.find((name) => name.includes(WEIGHTS));
    return part === undefined ? 0 : (await stat(join(dataFolder, part))).size;
  };
  await expect.poll(written, { interval: 5 }).toBe(bytes);
}

/** Expects a rejection with MODEL_UNAVAILABLE and a message that contains all of these texts. */
async function expectUnavailable(promise: Promise<unknown>, ...parts: string[]): Promise<void> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ name: "RecommenderError", code: "MODEL_UNAVAILABLE" });
  for (const part of parts) expect((error as Error).message).toContain(part);
}

async function expectTiny(folder: string): Promise<void> {
  for (const file of FILES) expect(await readFile(join(folder, file))).toEqual(await readFile(join(TINY, file)));
}

describe("celrec model pull", () => {
  it("downloads a model once, whole and checked, and the embedder finds it by its name", async () => {
    const hub = await serveHub({ "some/tiny": TINY });
    const asked = await options(hub.url);
    const { dataFolder } = asked;
    const seen: DownloadProgress[] = [];
    const pulled = await pullModel({ ...asked, onProgress: (progress) => seen.push(progress) });
    const folder = join(dataFolder, "models", "codebert");
    expect(pulled).toMatchObject({ folder, origin: "some/tiny", dimensions: 32, isQuantised: false, isNew: true });
    await expectTiny(folder);
    const { size } = await import("node:fs/promises").then(({ stat }) => stat(join(TINY, WEIGHTS)));
    expect(seen.at(-1)).toEqual({ file: WEIGHTS, done: size, total: size });
    const requests = hub.asked.length;
    expect(await pullModel(asked)).toMatchObject({ isNew: false, revision: pulled.revision });
    expect(hub.asked.length).toBe(requests);
    const [mine, its] = await Promise.all(
      ["codebert", TINY].map((model) => createCodebertEmbedder({ model, cacheFolder: dataFolder })),
    );
    expect(await mine!.embed(["x = 1"], "cell")).toEqual(await its!.embed(["x = 1"], "cell"));
    expect(await readdir(join(dataFolder, "models"))).toEqual(["codebert"]);
  });

  it("resumes a download after each broken connection", async () => {
    const hub = await serveHub({ "some/tiny": TINY });
    hub.stalls.push(1_000, 500);
    const asked = await options(hub.url);
    const pulled = pullModel(asked);
    for (const bytes of [1_000, 1_500]) {
      await untilWritten(asked, bytes);
      hub.breakStalled();
    }
    await expectTiny((await pulled).folder);
    const gets = hub.asked.filter((request) => request.startsWith("GET /storage"));
    expect(gets.map((request) => request.split(" ")[2])).toEqual([undefined, "bytes=1000-", "bytes=1500-"]);
  });

  it("resumes an earlier run", async () => {
    const hub = await serveHub({ "some/tiny": TINY });
    hub.stalls.push(2_000);
    const asked = await options(hub.url);
    const stop = new AbortController();
    const gone = new Error("interrupted");
    const stopped = pullModel({ ...asked, signal: stop.signal }).catch((error: unknown) => error);
    await untilWritten(asked, 2_000);
    stop.abort(gone);
    expect(await stopped).toBe(gone);
    expect(existsSync(join(asked.dataFolder, "models", "codebert"))).toBe(false);
    await expectTiny((await pullModel(asked)).folder);
    expect(hub.asked.at(-1)).toBe("GET /storage/some/tiny/resolve/main/onnx/model.onnx bytes=2000-");
  });

  it("rejects a file whose hash differs from the hub's", async () => {
    const hub = await serveHub({ "some/tiny": TINY });
    const damaged = await readFile(join(TINY, WEIGHTS));
    damaged[100]! ^= 1;
    hub.instead.set(WEIGHTS, damaged);
    const asked = await options(hub.url);
    await expectUnavailable(pullModel(asked), `${WEIGHTS} is damaged: its hash is `);
    expect(existsSync(join(asked.dataFolder, "models", "codebert"))).toBe(false);
    hub.instead.clear();
    await expectTiny((await pullModel(asked)).folder);
  });

  it("tries one id after another, and lists them if none works", async () => {
    const bare = await mkdtemp(join(scratch, "bare-"));
    await cp(TINY, bare, { recursive: true });
    await rm(join(bare, "onnx"), { recursive: true });
    const hub = await serveHub({ "some/bare": bare, "some/tiny": TINY });
    const asked = await options(hub.url, { ids: ["no/such", "some/bare"] });
    await expectUnavailable(
      pullModel(asked),
      "tried no/such (no config.json); some/bare (no onnx/model.onnx or onnx/model_quantized.onnx or onnx/model_int8.onnx)",
      "CELREC_MODEL_IDS",
    );
    expect(await pullModel({ ...asked, ids: ["some/bare", "some/tiny"] })).toMatchObject({ origin: "some/tiny" });
    expect(await pullModel({ ...asked, name: "some/tiny" })).toMatchObject({
      folder: join(asked.dataFolder, "models", "some--tiny"),
    });
  });

  it("reports the status if the hub refuses a model, and the model if a download breaks", async () => {
    const hub = await serveHub({ "some/tiny": TINY });
    hub.refusing.set("some/private", 401);
    const asked = await options(hub.url, { ids: ["some/private"] });
    await expectUnavailable(pullModel(asked), "tried some/private (config.json: HTTP 401)");
    const damaged = await readFile(join(TINY, WEIGHTS));
    damaged[100]! ^= 1;
    hub.instead.set(WEIGHTS, damaged);
    await expectUnavailable(
      pullModel({ ...asked, ids: ["no/such", "some/tiny"] }),
      "The model some/tiny could not be downloaded",
    );
  });

  it("takes int8 weights under each of their names", async () => {
    const int8 = await mkdtemp(join(scratch, "int8-"));
    await cp(TINY, int8, { recursive: true });
    await cp(join(TINY, WEIGHTS), join(int8, "onnx", "model_int8.onnx"));
    const hub = await serveHub({ "some/int8": int8 });
    const asked = await options(hub.url, { ids: ["some/int8"], quantized: true });
    const { folder, isQuantised } = await pullModel(asked);
    expect(isQuantised).toBe(true);
    expect(await readdir(join(folder, "onnx"))).toEqual(["model_int8.onnx"]);
  });

  it("does not return an existing model instead of another requested one", async () => {
    const hub = await serveHub({ "some/tiny": TINY });
    const asked = await options(hub.url);
    const { folder } = await pullModel(asked);
    const isThere = `The folder ${folder} has codebert with fp32 weights`;
    await expectUnavailable(pullModel({ ...asked, quantized: true }), isThere, "remove the folder");
    await expectUnavailable(pullModel({ ...asked, from: TINY }), isThere, "remove the folder");
  });

  it("advises what to copy if the hub cannot be reached", async () => {
    const { url } = await serveHub({});
    await new Promise((resolve) => servers.pop()!.close(resolve));
    const asked = await options(url);
    await expectUnavailable(
      pullModel(asked),
      `from ${url}: the hub cannot be reached (ECONNREFUSED)`,
      "HF_ENDPOINT",
      "celrec model pull codebert --from FOLDER",
    );
    expect(existsSync(join(asked.dataFolder, "models"))).toBe(false);
  });

  it("takes a folder with ONNX files, and reports missing files", async () => {
    const asked = await options("http://127.0.0.1:1", { from: TINY });
    const pulled = await pullModel(asked);
    expect(pulled).toMatchObject({ origin: TINY, isNew: true });
    await expectTiny(pulled.folder);
    const empty = await mkdtemp(join(scratch, "empty-"));
    const other = await options("http://127.0.0.1:1", { from: empty });
    await expectUnavailable(pullModel(other), `from ${empty}: it has neither onnx/model.onnx nor model.safetensors`);
    await expectUnavailable(pullModel({ ...other, from: `${empty}/none` }), "it does not exist");
  });

  it("converts a PyTorch folder, and reports missing requirements", async () => {
    const pytorch = await mkdtemp(join(scratch, "pytorch-"));
    await writeFile(join(pytorch, "pytorch_model.bin"), "weights");
    const script = async (text: string) => {
      const file = join(await mkdtemp(join(scratch, "script-")), "convert.py");
      await writeFile(file, text);
      return file;
    };
    // A stub of the converter that needs no packages. It has the same arguments: the target and the model.
    const copying = `import shutil, sys\nassert sys.argv[2:] == ["--model", ${JSON.stringify(pytorch)}]\nshutil.copytree(${JSON.stringify(TINY)}, sys.argv[1])`;
    const asked = await options("http://127.0.0.1:1", { from: pytorch, converter: await script(copying) });
    await expectTiny((await pullModel(asked)).folder);
    const failing = await options("http://127.0.0.1:1", {
      from: pytorch,
      converter: await script("import not_a_package"),
    });
    await expectUnavailable(
      pullModel(failing),
      "No module named 'not_a_package'",
      "pip install torch transformers onnx onnxruntime",
    );
  });

  it("reports at once that a newer model needs another package", async () => {
    const newer = join(await mkdtemp(join(scratch, "newer-")), "model");
    await cp(TINY, newer, { recursive: true });
    const content = await readFile(join(newer, WEIGHTS));
    content[1] = 10;
    await writeFile(join(newer, WEIGHTS), content);
    const hub = await serveHub({ "some/newer": newer });
    const data = await mkdtemp(join(scratch, "data-"));
    const env = { HF_ENDPOINT: hub.url, CELREC_MODEL_IDS: "some/newer" };
    const { code, stderr } = await celrec(["model", "pull", "codebert", "--data", data], { env });
    expect(code).toBe(0);
    expect(stderr).toContain("has ONNX IR 10, and CodeBERT needs the optional package @huggingface/transformers");
    expect(stderr).toContain("npm install @huggingface/transformers");
  });

  it("works as one command with a mirror, and prints the next step", async () => {
    const hub = await serveHub({ "some/tiny": TINY });
    const data = await mkdtemp(join(scratch, "data-"));
    const env = { HF_ENDPOINT: hub.url, CELREC_MODEL_IDS: "no/such,some/tiny", CELREC_EMBEDDER: "" };
    const refused = await celrec(["recommend", "-", "--preset", "paper", "--data", data], { env, input: "x = 1" });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("Get it: celrec model pull codebert");
    const { code, stdout } = await celrec(["model", "pull", "codebert", "--data", data], { env });
    expect(code).toBe(0);
    expect(stdout).toContain(`codebert from some/tiny is in ${join(data, "models", "codebert")}: 32 dimensions, fp32`);
    expect(stdout).toContain("--preset paper");
    const again = await celrec(["model", "pull", "codebert", "--data", data, "--json"], { env });
    expect(JSON.parse(again.stdout)).toMatchObject({ name: "codebert", isNew: false, dimensions: 32 });
    const indexed = await celrec(["index", "examples/notebooks", "--preset", "paper", "--data", data], { env });
    expect([indexed.code, indexed.stdout]).toEqual([0, expect.stringContaining("27 notebooks")]);
  });
});
