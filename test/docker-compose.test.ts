import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
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
  environment: z.record(z.string(), z.string()).default({}),
  profiles: z.tuple([z.literal("monitoring")]).optional(),
  secrets: z.array(z.string()).optional(),
  ports: z.array(z.string()).optional(),
  volumes: z.array(z.string()),
  read_only: z.boolean().optional(),
  tmpfs: z.array(z.string()).optional(),
  cap_drop: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  healthcheck: healthcheck.optional(),
});
const { services, volumes } = z
  .strictObject({
    name: z.string(),
    services: z.record(z.string(), service),
    secrets: z.strictObject({ celrec_token: z.strictObject({ environment: z.literal("CELREC_TOKEN") }) }),
    volumes: z.record(z.string(), z.null()),
  })
  .parse(parse(text));

describe("docker-compose.yml", () => {
  it.runIf(hasSchema)("passes the schema of the compose specification", () => {
    const answer = execFileSync(python, [...CHECK, `${root}docker-compose.yml`], { encoding: "utf8" });
    expect(answer.trim()).toBe("ok -- validation done");
  });

  it("has celrec, and a Milvus 2.6 with its etcd and MinIO, each at a fixed version", () => {
    expect(Object.keys(services)).toEqual(["celrec", "milvus", "etcd", "minio", "prometheus", "grafana"]);
    const images = Object.values(services).flatMap(({ image }) => image ?? []);
    for (const image of images) expect(image).toMatch(/:(v?\d+\.\d+\.\d+|RELEASE\.[\dTZ-]+)$/);
    expect(services.milvus!.image).toMatch(/^milvusdb\/milvus:v2\.6\.\d+$/);
    expect(services.celrec!.build).toBe(".");
  });

  it("publishes nothing but celrec and the dashboard, and those to this machine only", () => {
    const published = Object.entries(services).flatMap(([name, { ports = [] }]) =>
      ports.map((port) => `${name} ${port}`),
    );
    expect(published.map((port) => port.replaceAll("$", ""))).toEqual([
      "celrec 127.0.0.1:{CELREC_PORT:-8787}:8787",
      "grafana 127.0.0.1:{GRAFANA_PORT:-3000}:3000",
    ]);
  });

  it("has no secret of its own: each is a variable that must be set", () => {
    const secrets = Object.values(services).flatMap(({ environment }) =>
      Object.entries(environment).filter(([key]) => /TOKEN|PASSWORD|SECRET_/.test(key)),
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
    const own = used.filter((volume) => !volume.startsWith("./"));
    expect(own).toEqual(["celrec", "milvus", "etcd", "minio", "prometheus", "grafana"]);
    expect(Object.keys(volumes)).toEqual(own);
    for (const file of used.filter((volume) => volume.startsWith("./")))
      expect([file, existsSync(root + file)]).toEqual([file, true]);
  });

  it("has figures and a dashboard only where they are asked for, with what they need", () => {
    const asked = Object.entries(services).filter(([, { profiles }]) => profiles !== undefined);
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
