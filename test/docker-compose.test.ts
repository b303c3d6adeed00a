import { execFile, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { parseConfig } from "../src/config.js";
import { requires } from "./require.js";
import { ADDRESS, hasMilvus, hasMilvusLite, LITE_ADDRESS, newPlace } from "./store/milvus/server.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const dockerfile = readFileSync(`${root}Dockerfile`, "utf8");
const MAIN = join(root, "dist/src/cli/main.js");
const TOKEN = "0123456789abcdef0123";

const python = process.env.CELREC_TEST_PYTHON ?? `${root}.venv-test/bin/python`;
const CHECK = ["-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"];
const HOW = `${python} -m pip install check-jsonschema==0.39.0 (it brings the compose specification's schema)`;
const hasSchema = requires("python", canCheck(), HOW);

/** The schema is strict. An unknown field is a mistake in the compose file, or has to be added here. */
const healthcheck = z.strictObject({
  test: z.tuple([z.literal("CMD")], z.string()),
  interval: z.string(),
  timeout: z.string(),
  retries: z.int(),
  start_period: z.string().optional(),
});
const condition = z.enum(["service_healthy", "service_completed_successfully"]);
const logging = z.strictObject({
  driver: z.literal("json-file"),
  options: z.strictObject({ "max-size": z.string(), "max-file": z.string() }),
});
const service = z.strictObject({
  build: z.string().optional(),
  image: z.string(),
  command: z.array(z.string()).optional(),
  init: z.boolean().optional(),
  restart: z.enum(["unless-stopped", "no"]),
  depends_on: z.record(z.string(), z.strictObject({ condition })).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  profiles: z.tuple([z.enum(["monitoring", "paper"])]).optional(),
  secrets: z.array(z.string()).optional(),
  ports: z.array(z.string()).optional(),
  volumes: z.array(z.string()),
  read_only: z.boolean().optional(),
  tmpfs: z.array(z.string()).optional(),
  cap_drop: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  logging,
  mem_limit: z.string().regex(/^\d+[gm]$/),
  cpus: z.number(),
  healthcheck: healthcheck.optional(),
});
const file = z.strictObject({
  name: z.string(),
  "x-logging": z.unknown().optional(),
  "x-celrec": z.unknown().optional(),
  services: z.record(z.string(), service),
  secrets: z.strictObject({ celrec_token: z.strictObject({ environment: z.literal("CELREC_TOKEN") }) }).optional(),
  volumes: z.record(z.string(), z.null()),
});
const read = (name: string) => file.parse(parse(readFileSync(root + name, "utf8"), { merge: true }));
const { services, volumes } = read("docker-compose.yml");
const embedded = read("docker-compose.embedded.yml");

/** The services that run our image. */
const OWN = ["celrec", "paper", "model"];

describe("the compose files", () => {
  it.runIf(hasSchema).each(["docker-compose.yml", "docker-compose.embedded.yml"])(
    "pass the schema of the compose specification: %s",
    (name) => {
      const answer = execFileSync(python, [...CHECK, root + name], { encoding: "utf8" });
      expect(answer.trim()).toBe("ok -- validation done");
    },
  );

  it("have celrec, the published system and a Milvus 2.6 without other servers, each at a fixed version", () => {
    expect(Object.keys(services)).toEqual(["celrec", "paper", "model", "milvus", "prometheus", "grafana"]);
    expect(Object.keys(embedded.services)).toEqual(["celrec"]);
    for (const [name, { image, build }] of Object.entries(services)) {
      if (OWN.includes(name)) expect([image, build]).toEqual(["celrec", "."]);
      else expect(image).toMatch(/:v?\d+\.\d+\.\d+$/);
    }
    expect(services.milvus!.image).toMatch(/^milvusdb\/milvus:v2\.6\.\d+$/);
    expect(services.milvus!.environment).toMatchObject({ ETCD_USE_EMBED: "true", COMMON_STORAGETYPE: "local" });
    const etcd = parse(readFileSync(`${root}examples/milvus/embedEtcd.yaml`, "utf8"));
    expect(etcd["listen-client-urls"]).toBe("http://127.0.0.1:2379");
  });

  it("publish nothing but celrec and the dashboard, and those to this machine only", () => {
    const published = Object.entries(services).flatMap(([name, { ports = [] }]) =>
      ports.map((port) => `${name} ${port}`),
    );
    expect(published.map((port) => port.replaceAll("$", ""))).toEqual([
      "celrec 127.0.0.1:{CELREC_PORT:-8787}:8787",
      "paper 127.0.0.1:{PAPER_PORT:-8788}:8787",
      "grafana 127.0.0.1:{GRAFANA_PORT:-3000}:3000",
    ]);
    expect(embedded.services.celrec!.ports).toEqual(services.celrec!.ports);
  });

  it("contain no secret: the token is a variable that must be set", () => {
    const all = [...Object.values(services), ...Object.values(embedded.services)];
    const secrets = all.flatMap(({ environment }) =>
      Object.entries(environment).filter(([key]) => /TOKEN|PASSWORD|SECRET_/.test(key)),
    );
    expect(secrets.map(([key]) => key)).toEqual(["CELREC_TOKEN", "CELREC_TOKEN", "CELREC_TOKEN"]);
    for (const [, value] of secrets) expect(value).toMatch(/^\$\{CELREC_TOKEN:\?set .+\}$/);
  });

  it("start each service after its dependencies, and the published system after the download of its model", () => {
    expect(services.celrec!.depends_on).toEqual({ milvus: { condition: "service_healthy" } });
    expect(services.paper!.depends_on).toEqual({
      milvus: { condition: "service_healthy" },
      model: { condition: "service_completed_successfully" },
    });
    expect(services.model).toMatchObject({ restart: "no", command: ["model", "pull", "codebert"], depends_on: {} });
    expect(services.model!.volumes[0]).toBe(services.paper!.volumes[0]);
    expect(dockerfile).toMatch(/^HEALTHCHECK .*\n {2}CMD .*\/healthz/m);
  });

  it("use health checks that exist in the images", () => {
    const checks = Object.entries(services).flatMap(([name, { healthcheck: check }]) =>
      check === undefined ? [] : [[name, check.test[1], check.test.at(-1)]],
    );
    expect(checks).toEqual([
      ["milvus", "curl", "http://localhost:9091/healthz"],
      ["prometheus", "wget", "http://localhost:9090/-/healthy"],
      ["grafana", "wget", "http://localhost:3000/api/health"],
    ]);
  });

  it("keep the data of every service in a volume, and mount only files that are there", () => {
    const used = Object.values(services).flatMap((one) => one.volumes.map((volume) => volume.split(":")[0]!));
    const own = [...new Set(used.filter((volume) => /^\w+$/.test(volume)))];
    expect(own).toEqual(["celrec", "paper", "milvus", "prometheus", "grafana"]);
    expect(Object.keys(volumes)).toEqual(own);
    for (const path of used.filter((volume) => volume.startsWith("./")))
      expect([path, existsSync(root + path)]).toEqual([path, true]);
  });

  it("give our image a read-only root file system, no capabilities, and a folder of notebooks to index", () => {
    for (const one of [services.celrec!, services.paper!, embedded.services.celrec!]) {
      expect(one).toMatchObject({ read_only: true, tmpfs: ["/tmp"], cap_drop: ["ALL"] });
      expect(one.security_opt).toEqual(["no-new-privileges:true"]);
      expect(one.volumes[1]!.replaceAll("$", "")).toBe("{NOTEBOOKS:-./examples/notebooks}:/notebooks:ro");
    }
  });

  it("have metrics and a dashboard only in their own profile, with what they need", () => {
    const asked = Object.entries(services).filter(([, { profiles }]) => profiles?.[0] === "monitoring");
    expect(asked.map(([name]) => name)).toEqual(["prometheus", "grafana"]);
    const { scrape_configs: jobs } = parse(readFileSync(`${root}examples/prometheus/prometheus.yml`, "utf8"));
    expect(jobs[0]).toMatchObject({
      authorization: { credentials_file: "/run/secrets/celrec_token" },
      static_configs: [{ targets: ["celrec:8787"] }],
    });
    expect(services.prometheus!.secrets).toEqual(["celrec_token"]);
    expect(services.celrec!.environment.CELREC_HOSTS).toBe("celrec");
    const provisioning = `${root}examples/grafana/provisioning`;
    const { datasources } = parse(readFileSync(`${provisioning}/datasources/prometheus.yml`, "utf8"));
    expect(datasources[0]).toMatchObject({ type: "prometheus", url: "http://prometheus:9090" });
    const { providers } = parse(readFileSync(`${provisioning}/dashboards/celrec.yml`, "utf8"));
    expect(
      services.grafana!.volumes.some((volume) => volume.includes(`:${providers[0].options.path}/celrec.json:`)),
    ).toBe(true);
  });

  it("set only variables that celrec knows", () => {
    const settings = Object.fromEntries(
      OWN.map((name) => [name, parseConfig(environmentOf(services[name]!.environment))]),
    );
    expect(settings.celrec).toMatchObject({ store: "milvus", milvusAddress: "milvus:19530", embedder: "default" });
    expect(settings.paper).toMatchObject({ milvusPrefix: "paper", preset: "paper", embedder: "codebert" });
    expect(settings.model).toMatchObject({ hub: "https://huggingface.co" });
    expect(parseConfig(environmentOf(embedded.services.celrec!.environment)).store).toBe("embedded");
  });
});

describe("Dockerfile", () => {
  it("runs as a user without privileges, on Node 22", () => {
    expect(dockerfile.match(/^FROM .+$/gm)).toEqual(["FROM node:22-slim AS build", "FROM node:22-slim"]);
    expect(dockerfile.indexOf("USER node")).toBeLessThan(dockerfile.indexOf("ENTRYPOINT ["));
  });

  it("runs any celrec command, and `serve` by default", () => {
    expect(dockerfile).toMatch(/^ENTRYPOINT \["node", "\/app\/dist\/src\/cli\/main\.js"\]\nCMD \["serve"\]$/m);
  });

  it("carries along every folder of the package that exists outside of dist", () => {
    const { files } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { files: string[] };
    const folders = files.filter((name) => !name.includes("/") && !name.includes("."));
    const copied = [...dockerfile.matchAll(/^COPY --from=build \/app\/(\S+)/gm)].map(([, name]) => name!);
    expect(copied).toEqual(["package.json", "node_modules", "dist", ...folders]);
  });
});

describe.each([
  ["Milvus 2.3.5", ADDRESS, await hasMilvus()],
  ["Milvus Lite", LITE_ADDRESS, await hasMilvusLite()],
] as const)("with the environment of the compose file, on %s,", (_, address, isThere) => {
  const portBase = address === ADDRESS ? 28_787 : 28_788;

  it.runIf(isThere)("the service is healthy and ready, and answers with the token", { timeout: 180_000 }, async () => {
    const { env } = container("celrec", address, portBase);
    const get = await serve(env);
    expect((await get("/healthz")).status).toBe(200);
    expect((await get("/v1/stats")).status).toBe(401);
    const stats = await get("/v1/stats", { headers: { authorization: `Bearer ${TOKEN}` } });
    expect(await stats.json()).toMatchObject({ store: { name: "milvus" } });
  });

  it.runIf(isThere)("the published system gets its model, indexes and recommends", { timeout: 240_000 }, async () => {
    const { env, data } = container("paper", address, portBase + 10);
    const model = { ...imageEnvironment(data), ...environmentOf(services.model!.environment) };
    const pulled = await run(services.model!.command!, { ...model, HF_ENDPOINT: await serveHub() });
    expect(pulled).toContain("codebert from onnx-community/codebert-base-ONNX is in");
    const notebooks = join(root, "examples/notebooks");
    expect(await run(["index", notebooks, "--source", "notebooks"], env)).toContain("27 notebooks");
    const get = await serve(env);
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
    const stats = await get("/v1/stats", { headers });
    expect(await stats.json()).toMatchObject({
      store: { name: "milvus" },
      embedder: { dimensions: 32 },
      notebooks: 27,
    });
    const body = JSON.stringify({ code: "import pandas as pd\n", k: 3 });
    const answer = await get("/v1/recommendations", { method: "POST", headers, body });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ recommendations: [{ rank: 1 }, { rank: 2 }, { rank: 3 }] });
  });
});

/** The environment variables that the Dockerfile sets. */
function imageEnvironment(data: string) {
  return { PATH: process.env.PATH ?? "", NODE_ENV: "production", CELREC_HOST: "0.0.0.0", CELREC_DATA: data };
}

/** The environment of a service of the compose file, with the address of the test's server and a port of this machine. */
function container(name: string, address: string, port: number) {
  const place = newPlace(address);
  const data = mkdtempSync(join(tmpdir(), "celrec-compose-"));
  onTestFinished(async () => {
    await place.drop();
    rmSync(data, { recursive: true, force: true });
  });
  const test = { CELREC_MILVUS_ADDRESS: address, CELREC_MILVUS_PREFIX: place.prefix, CELREC_PORT: `${port}` };
  return { data, env: { ...imageEnvironment(data), ...environmentOf(services[name]!.environment), ...test } };
}

/** The output of `docker compose run` for a command of the image. */
async function run(words: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...words], { env });
  return stdout;
}

/** Starts the service and waits until it is ready. */
async function serve(env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [MAIN, "serve"], { env, stdio: "ignore" });
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await new Promise((resolve) => child.once("exit", resolve));
  });
  const get = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${env.CELREC_PORT}${path}`, init);
  for (let tries = 0; (await get("/readyz").catch(() => null))?.status !== 200 && tries < 200; tries += 1) {
    await sleep(500);
  }
  expect((await get("/readyz")).status).toBe(200);
  return get;
}

/** A hub that has a small RoBERTa under every name. */
async function serveHub(): Promise<string> {
  const hub = createServer((request, response) => {
    const file = join(root, "test/fixtures/tiny-roberta", request.url?.split("/resolve/main/")[1] ?? "");
    if (!existsSync(file)) return void response.writeHead(404).end();
    const content = readFileSync(file);
    const etag = createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
    response.writeHead(200, { etag: `"${etag}"`, "content-length": `${content.length}` });
    response.end(request.method === "HEAD" ? undefined : content);
  });
  await new Promise<void>((resolve) => hub.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void hub.close());
  return `http://127.0.0.1:${(hub.address() as AddressInfo).port}`;
}

/** The variables as compose would set them. The required variable is the token, and the others have their defaults. */
function environmentOf(environment: Readonly<Record<string, string>>): Record<string, string> {
  const set = (value: string) =>
    value.replace(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)\}/g, (_, name, fallback = "") =>
      name === "CELREC_TOKEN" ? TOKEN : fallback,
    );
  return Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, set(value)]));
}

function canCheck(): boolean {
  try {
    execFileSync(python, ["-c", "import check_jsonschema"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
