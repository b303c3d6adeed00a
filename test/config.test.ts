import { describe, expect, it } from "vitest";
import { parseConfig } from "../src/config.js";
import { RecommenderError } from "../src/errors.js";

const DEFAULTS = parseConfig({});

function problems(env: Readonly<Record<string, string>>) {
  try {
    parseConfig(env);
  } catch (error) {
    if (error instanceof RecommenderError && error.code === "CONFIG_INVALID") return error;
    throw error;
  }
  throw new Error("the configuration was accepted");
}

describe("parseConfig", () => {
  it("has a default for everything that needs one", () => {
    expect(parseConfig({})).toMatchObject({
      data: ".celrec",
      store: "embedded",
      milvusAddress: "localhost:19530",
      preset: "default",
      embedder: "default",
      model: "codebert",
      host: "127.0.0.1",
      port: 8787,
    });
    expect(parseConfig({})).not.toHaveProperty("token");
    expect(parseConfig({})).not.toHaveProperty("labels");
  });

  it("reads every variable", () => {
    const env = {
      CELREC_DATA: "/data",
      CELREC_STORE: "milvus",
      CELREC_MILVUS_ADDRESS: "milvus:19531",
      CELREC_MILVUS_TOKEN: "root:Milvus",
      CELREC_MILVUS_TLS: "on",
      CELREC_MILVUS_DATABASE: "team_a",
      CELREC_EMBEDDER: "lexical",
      CELREC_MODEL: "./model",
      CELREC_LABELS: "./labels",
      CELREC_TOKEN: "0123456789abcdef",
      CELREC_HOST: "0.0.0.0",
      CELREC_PORT: "0",
    };
    expect(parseConfig(env)).toMatchObject({
      data: "/data",
      store: "milvus",
      milvusAddress: "milvus:19531",
      milvusToken: "root:Milvus",
      milvusTls: true,
      milvusDatabase: "team_a",
      preset: "default",
      embedder: "lexical",
      model: "./model",
      labels: "./labels",
      token: "0123456789abcdef",
      host: "0.0.0.0",
      port: 0,
    });
  });

  it.each([
    "CELREC_DATA",
    "CELREC_STORE",
    "CELREC_MILVUS_ADDRESS",
    "CELREC_MILVUS_TOKEN",
    "CELREC_MILVUS_TLS",
    "CELREC_MILVUS_DATABASE",
    "CELREC_PRESET",
    "CELREC_EMBEDDER",
    "CELREC_MODEL",
    "CELREC_LABELS",
    "CELREC_TOKEN",
    "CELREC_HOST",
    "CELREC_PORT",
  ])("takes an empty %s as an unset one", (name) => {
    expect(parseConfig({ [name]: "" })).toEqual(DEFAULTS);
  });

  it("takes a certificate for TLS with Milvus, if it is there", () => {
    expect(parseConfig({ CELREC_MILVUS_TLS: "package.json" }).milvusTls).toBe("package.json");
    expect(parseConfig({}).milvusTls).toBe(false);
    expect(problems({ CELREC_MILVUS_TLS: "yes" }).problems).toEqual([
      {
        pointer: "CELREC_MILVUS_TLS",
        message: 'must be on, off, or the path of an existing certificate (PEM) (it is "yes")',
      },
    ]);
    expect(problems({ CELREC_MILVUS_DATABASE: "a-b" }).problems[0]!.pointer).toBe("CELREC_MILVUS_DATABASE");
  });

  it("has a default hub and default model ids", () => {
    expect(DEFAULTS.hub).toBe("https://huggingface.co");
    expect(DEFAULTS.modelIds[0]).toBe("onnx-community/codebert-base-ONNX");
    const env = { HF_ENDPOINT: "https://mirror.example.org/hf", CELREC_MODEL_IDS: "a/b, c/d-e" };
    expect(parseConfig(env)).toMatchObject({ hub: "https://mirror.example.org/hf", modelIds: ["a/b", "c/d-e"] });
    expect(problems({ CELREC_MODEL_IDS: "codebert" }).problems[0]!.pointer).toBe("CELREC_MODEL_IDS");
    expect(problems({ HF_ENDPOINT: "mirror" }).problems[0]!.pointer).toBe("HF_ENDPOINT");
  });

  it("ignores other variables", () => {
    expect(parseConfig({ PATH: "/bin", CELREC_TEST_REQUIRE: "milvus" })).toEqual(DEFAULTS);
  });

  it("cannot be changed", () => {
    expect(Object.isFrozen(DEFAULTS)).toBe(true);
  });

  it.each<[string, string, string]>([
    ["CELREC_PORT", "abc", 'must be a port number, 0 to 65535 (it is "abc")'],
    ["CELREC_PORT", "65536", 'must be a port number, 0 to 65535 (it is "65536")'],
    ["CELREC_PORT", "-1", 'must be a port number, 0 to 65535 (it is "-1")'],
    ["CELREC_PORT", "80.5", 'must be a port number, 0 to 65535 (it is "80.5")'],
    ["CELREC_PORT", " 80", 'must be a port number, 0 to 65535 (it is " 80")'],
    ["CELREC_MILVUS_ADDRESS", "localhost", 'must be HOST:PORT, such as localhost:19530 (it is "localhost")'],
    ["CELREC_MILVUS_ADDRESS", "http://a:1", 'must be HOST:PORT, such as localhost:19530 (it is "http://a:1")'],
    ["CELREC_STORE", "redis", 'must be embedded or milvus (it is "redis")'],
    ["CELREC_PRESET", "Paper", 'must be default or paper (it is "Paper")'],
    ["CELREC_EMBEDDER", "bert", 'must be default, lexical or codebert (it is "bert")'],
    ["CELREC_FEEDBACK", "yes", 'must be off or on (it is "yes")'],
    ["CELREC_SECRETS", "foo", 'must be report, mask or refuse (it is "foo")'],
  ])("names %s if it is %j", (name, value, message) => {
    expect(problems({ [name]: value }).problems).toEqual([{ pointer: name, message }]);
  });

  it("keeps a wrong token out of its message", () => {
    const { message } = problems({ CELREC_TOKEN: "hunter2" });
    expect(message).toBe("The configuration is wrong:\nCELREC_TOKEN: must have at least 16 characters (it has 7)");
  });

  it.each([
    [`sha256:${"z".repeat(64)}`, "it has 0 among 64 characters"],
    [`sha256:${"0".repeat(63)}`, "it has 63 among 63 characters"],
    [`SHA256:${"0".repeat(65)}`, "it has 65 among 65 characters"],
    ["sha256:", "it has 0 among 0 characters"],
  ])("takes no malformed hash for a password: %s", (token, count) => {
    expect(problems({ CELREC_TOKEN: token }).problems).toEqual([
      { pointer: "CELREC_TOKEN", message: `must have 64 hexadecimal digits after sha256: (${count})` },
    ]);
  });

  it("takes a hash for a token", () => {
    const token = `sha256:${"0aF".repeat(21)}0`;
    expect(parseConfig({ CELREC_TOKEN: token }).token).toBe(token);
  });

  it("names every wrong variable at once", () => {
    const error = problems({
      CELREC_STORE: "x",
      CELREC_MILVUS_ADDRESS: "x",
      CELREC_PRESET: "paper",
      CELREC_EMBEDDER: "lexical",
      CELREC_TOKEN: "x",
      CELREC_PORT: "x",
    });
    expect(error.problems.map(({ pointer }) => pointer).sort()).toEqual([
      "CELREC_EMBEDDER",
      "CELREC_MILVUS_ADDRESS",
      "CELREC_PORT",
      "CELREC_STORE",
      "CELREC_TOKEN",
    ]);
    expect(error.message.split("\n").length).toBe(6);
  });
});

describe("the preset of the paper", () => {
  it.each<[string, Readonly<Record<string, string>>]>([
    ["no embedder is set", {}],
    ["the embedder is empty", { CELREC_EMBEDDER: "" }],
    ["the embedder is codebert", { CELREC_EMBEDDER: "codebert" }],
  ])("means CodeBERT if %s", (_, env) => {
    expect(parseConfig({ CELREC_PRESET: "paper", ...env })).toEqual({
      ...DEFAULTS,
      preset: "paper",
      embedder: "codebert",
    });
  });

  it.each(["default", "lexical"])("refuses the embedder %s", (embedder) => {
    expect(problems({ CELREC_PRESET: "paper", CELREC_EMBEDDER: embedder }).problems).toEqual([
      {
        pointer: "CELREC_EMBEDDER",
        message: `must be codebert or unset, because the preset is paper (it is "${embedder}")`,
      },
    ]);
  });

  it("works with either store", () => {
    expect(parseConfig({ CELREC_PRESET: "paper", CELREC_STORE: "milvus" }).store).toBe("milvus");
  });
});
