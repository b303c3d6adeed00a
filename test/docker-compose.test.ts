import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { requires } from "./require.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const text = readFileSync(`${root}docker-compose.yml`, "utf8");
const dockerfile = readFileSync(`${root}Dockerfile`, "utf8");

const python = process.env.CELREC_TEST_PYTHON ?? `${root}.venv-test/bin/python`;
const CHECK = ["-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"];
const HOW = `${python} -m pip install check-jsonschema==0.39.0 (it brings the compose specification's schema)`;
const hasSchema = requires("python", canCheck(), HOW);

/** Strict: what this file does not know is a mistake in the compose file, or new and to be added here. */
const healthcheck = z.strictObject({
  test: z.tuple([z.literal("CMD")], z.string()),
  interval: z.string(),
  timeout: z.string(),
  retries: z.int(),
  start_period: z.string().optional(),
});
const service = z.strictObject({
  build: z.string().optional(),
  image: z.string().optional(),
  command: z.array(z.string()).optional(),
  init: z.boolean().optional(),
  restart: z.literal("unless-stopped"),
  depends_on: z.record(z.string(), z.strictObject({ condition: z.literal("service_healthy") })).optional(),
  environment: z.record(z.string(), z.string()),
  ports: z.array(z.string()).optional(),
  volumes: z.array(z.string()),
  read_only: z.boolean().optional(),
  tmpfs: z.array(z.string()).optional(),
  cap_drop: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  healthcheck: healthcheck.optional(),
});
const { services, volumes } = z
  .strictObject({ name: z.string(), services: z.record(z.string(), service), volumes: z.record(z.string(), z.null()) })
  .parse(parse(text));

describe("docker-compose.yml", () => {
  it.runIf(hasSchema)("passes the schema of the compose specification", () => {
    const answer = execFileSync(python, [...CHECK, `${root}docker-compose.yml`], { encoding: "utf8" });
    expect(answer.trim()).toBe("ok -- validation done");
  });

  it("has celrec, and a Milvus 2.6 with its etcd and MinIO, each at a fixed version", () => {
    expect(Object.keys(services)).toEqual(["celrec", "milvus", "etcd", "minio"]);
    const images = Object.values(services).flatMap(({ image }) => image ?? []);
    for (const image of images) expect(image).toMatch(/:(v\d+\.\d+\.\d+|RELEASE\.[\dTZ-]+)$/);
    expect(services.milvus!.image).toMatch(/^milvusdb\/milvus:v2\.6\.\d+$/);
    expect(services.celrec!.build).toBe(".");
  });

  it("publishes nothing but celrec, and that to this machine only", () => {
    const published = Object.entries(services).flatMap(([name, { ports = [] }]) =>
      ports.map((port) => `${name} ${port}`),
    );
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is compose's own notation.
    expect(published).toEqual(["celrec 127.0.0.1:${CELREC_PORT:-8787}:8787"]);
  });

  it("has no secret of its own: each is a variable that must be set", () => {
    const secrets = Object.values(services).flatMap(({ environment }) =>
      Object.entries(environment).filter(([key]) => /TOKEN|PASSWORD|SECRET/.test(key)),
    );
    expect(secrets.map(([key]) => key)).toEqual(["CELREC_TOKEN", "MINIO_SECRET_ACCESS_KEY", "MINIO_ROOT_PASSWORD"]);
    for (const [, value] of secrets) expect(value).toMatch(/^\$\{(CELREC_TOKEN|MINIO_PASSWORD):\?set .+\}$/);
    expect(services.milvus!.environment.MINIO_ACCESS_KEY_ID).toBe(services.minio!.environment.MINIO_ROOT_USER);
  });

  it("starts each service when what it needs is healthy", () => {
    expect(Object.keys(services.celrec!.depends_on!)).toEqual(["milvus"]);
    expect(Object.keys(services.milvus!.depends_on!)).toEqual(["etcd", "minio"]);
    for (const name of ["milvus", "etcd", "minio"]) expect(services[name]!.healthcheck).toBeDefined();
    expect(dockerfile).toMatch(/^HEALTHCHECK .*\n {2}CMD .*\/healthz/m);
  });

  it("keeps the data of every service in a volume of its own", () => {
    const used = Object.values(services).flatMap((one) => one.volumes.map((volume) => volume.split(":")[0]!));
    expect(used).toEqual(["celrec", "milvus", "etcd", "minio"]);
    expect(Object.keys(volumes)).toEqual(used);
  });

  it("connects celrec to Milvus", () => {
    const { CELREC_STORE, CELREC_MILVUS_ADDRESS } = services.celrec!.environment;
    expect([CELREC_STORE, CELREC_MILVUS_ADDRESS]).toEqual(["milvus", "milvus:19530"]);
  });
});

describe("Dockerfile", () => {
  it("runs as a user without privileges, on Node 22", () => {
    expect(dockerfile.match(/^FROM .+$/gm)).toEqual(["FROM node:22-slim AS build", "FROM node:22-slim"]);
    expect(dockerfile.indexOf("USER node")).toBeLessThan(dockerfile.indexOf("CMD ["));
  });

  it("carries along every folder of the package that exists outside of dist", () => {
    const { files } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { files: string[] };
    const folders = files.filter((file) => !file.includes("/") && !file.includes("."));
    const copied = [...dockerfile.matchAll(/^COPY --from=build \/app\/(\S+)/gm)].map(([, name]) => name!);
    expect(copied).toEqual(["package.json", "node_modules", "dist", ...folders]);
  });
});

function canCheck(): boolean {
  try {
    execFileSync(python, ["-c", "import check_jsonschema"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
