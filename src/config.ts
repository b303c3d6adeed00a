import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { RecommenderError } from "./errors.js";

const choice = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, `must be ${values.slice(0, -1).join(", ")} or ${values.at(-1)}`);

const nameList = (pattern: RegExp, message: string) =>
  z
    .string()
    .default("")
    .transform((text) => text.split(",").map((name) => name.trim().toLowerCase()))
    .transform((list) => list.filter((name) => name !== ""))
    .refine((list) => list.every((name) => pattern.test(name)), message);

/** A whole number within bounds, as text. */
const integerText = (digits: number, max: number, message: string) =>
  z
    .string()
    .regex(new RegExp(`^\\d{1,${digits}}$`), message)
    .transform(Number)
    .pipe(z.int().max(max, message));

/** The default rate limit in requests per minute: ten requests a second, one at every key press. */
const DEFAULT_RATE = 600;

/** All settings: `milvusAddress` is read from `CELREC_MILVUS_ADDRESS`, and so on. */
const settings = z.object({
  /** Folder of the embedded index. */
  data: z.string().default(".celrec"),
  store: choice(["embedded", "milvus"]).default("embedded"),
  milvusAddress: z
    .string()
    .regex(/^[^\s/]+:\d{1,5}$/, "must be HOST:PORT, such as localhost:19530")
    .default("localhost:19530"),
  /** Prefix of the collection names in Milvus; two indexes on one server need two. */
  milvusPrefix: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, "must be letters, digits and underscores, and must not start with a digit")
    .default("celrec"),
  /** `user:password`, or the API key of a managed server. */
  milvusToken: z.string().exactOptional(),
  /** Whether the connection is encrypted; a path is that of the authority's certificate (PEM). */
  milvusTls: z
    .string()
    .refine(
      (value) => value === "on" || value === "off" || existsSync(value),
      "must be on, off, or the path of an existing certificate (PEM)",
    )
    .default("off")
    .transform((value) => (value === "on" || value === "off" ? value === "on" : value)),
  milvusDatabase: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,254}$/, "must be letters, digits and underscores, and must not start with a digit")
    .exactOptional(),
  preset: choice(["default", "paper"]).default("default"),
  embedder: choice(["default", "lexical", "codebert"]).exactOptional(),
  /** `codebert`, the hub id of a downloaded model, or a folder with a model. */
  model: z.string().default("codebert"),
  /**
   * Hub ids that `celrec model pull codebert` tries in this order. It downloads the first one with a tokenizer and ONNX
   * files.
   */
  modelIds: z
    .string()
    .regex(/^[\w.-]+\/[\w.-]+(\s*,\s*[\w.-]+\/[\w.-]+)*$/, "must be hub ids such as owner/name, separated by commas")
    .default("onnx-community/codebert-base-ONNX,Xenova/codebert-base,microsoft/codebert-base")
    .transform((text) => text.split(",").map((id) => id.trim())),
  /** The hub that models come from, or a mirror with its layout. Read from HF_ENDPOINT, as other tools do. */
  hub: z
    .string()
    .regex(/^https?:\/\/[^\s?#]+$/, "must be an address such as https://huggingface.co")
    .default("https://huggingface.co"),
  /** Folder of the user's own rules and labels. */
  labels: z.string().exactOptional(),
  /** The address of a service. Agents use it instead of a local index. */
  url: z
    .string()
    .regex(/^https?:\/\/[^\s?#]+$/, "must be the address of a service, such as https://lab.example.org/celrec")
    .exactOptional(),
  /** A token with all scopes, in plain text or as `sha256:` and its hex hash. */
  token: z
    .string()
    .min(16, "must have at least 16 characters")
    // A mistyped hash would match no token.
    .regex(/^(?!sha256:)|^sha256:[0-9a-f]{64}$/i, "must have 64 hexadecimal digits after sha256:")
    .exactOptional(),
  /** Key of a language model under evaluation; `OPENAI_API_KEY` if this is not set. */
  openaiKey: z.string().exactOptional(),
  /** A file of tokens with their scopes. */
  tokensFile: z.string().exactOptional(),
  /** Host names of this service, besides its address. */
  hosts: nameList(/^[\w.-]+$/, "must be host names without ports, separated by commas"),
  /** Origins of the web pages that may call the service. */
  origins: nameList(
    /^https?:\/\/[\w.-]+(:\d{1,5})?$/,
    "must be origins such as https://lab.example.org, separated by commas",
  ),
  /** Requests per minute for each token or client address; 0 means no limit. */
  rate: integerText(7, 9_999_999, "must be a number of requests per minute, 0 for no limit").exactOptional(),
  /** Number of threads that answer requests; with 0 the main thread answers. The default depends on the index. */
  workers: integerText(2, 64, "must be a number of threads, 0 to 64").exactOptional(),
  /** Whether feedback on recommendations is kept. */
  feedback: choice(["off", "on"])
    .default("off")
    .transform((value) => value === "on"),
  /** The treatment of uploaded notebooks that contain a password or a key. */
  secrets: choice(["report", "mask", "refuse"]).default("report"),
  host: z.string().default("127.0.0.1"),
  port: integerText(5, 65_535, "must be a port number, 0 to 65535").default(8787),
});

/** Defaults that depend on other settings. */
const schema = settings.transform((values) => ({
  ...values,
  embedder: values.preset === "paper" ? ("codebert" as const) : (values.embedder ?? "default"),
  rate: values.rate ?? (isLoopback(values.host) ? 0 : DEFAULT_RATE),
}));

/** A type with every part read-only: data is shared, and must not change. */
export type Immutable<T> = T extends (...args: never[]) => unknown ? T : { readonly [K in keyof T]: Immutable<T[K]> };

export type Config = Immutable<z.output<typeof schema>>;

/** The only reader of the environment; reports every wrong variable at once. */
export function parseConfig(env: Readonly<Record<string, string | undefined>>): Config {
  // An empty variable counts as unset, as in a compose file that passes variables through.
  const set = Object.keys(settings.shape).filter((key) => (env[variableOf(key)] ?? "") !== "");
  const values: Record<string, string | undefined> = Object.fromEntries(set.map((key) => [key, env[variableOf(key)]]));
  // OPENAI_API_KEY is the variable that other tools read.
  if (env.OPENAI_API_KEY) values.openaiKey ??= env.OPENAI_API_KEY;
  const parsed = schema.safeParse(values);
  const wrong = new Map(parsed.error?.issues.map(({ path, message }) => [variableOf(String(path[0])), message]));
  if (env.CELREC_PRESET === "paper" && !["", "codebert", undefined].includes(env.CELREC_EMBEDDER)) {
    wrong.set("CELREC_EMBEDDER", "must be codebert or unset, because the preset is paper");
  }
  if (parsed.success && wrong.size === 0) return Object.freeze(parsed.data);
  const problems = [...wrong].map(([pointer, message]) => ({
    pointer,
    message: `${message} (${describe(pointer, env[pointer])})`,
  }));
  const lines = problems.map(({ pointer, message }) => `${pointer}: ${message}`);
  throw new RecommenderError("CONFIG_INVALID", `The configuration is wrong:\n${lines.join("\n")}`, { problems });
}

/** The environment variable of a setting. */
function variableOf(key: string): string {
  if (key === "hub") return "HF_ENDPOINT";
  return `CELREC_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Describes a wrong value. Tokens are not quoted, because messages end up in logs. */
function describe(name: string, value = ""): string {
  if (name !== "CELREC_TOKEN") return `it is ${JSON.stringify(value)}`;
  const hash = /^sha256:(.*)$/is.exec(value)?.[1];
  return hash === undefined
    ? `it has ${value.length}`
    : `it has ${hash.match(/[0-9a-f]/gi)?.length ?? 0} among ${hash.length} characters`;
}

/** Whether only this machine can reach the address. */
export function isLoopback(host: string): boolean {
  return /^(127(\.\d{1,3}){3}|localhost|::1|\[::1\])$/i.test(host);
}

/**
 * A file or folder that ships with the package, such as `models/embedder`; sources and compiled code are at different
 * depths.
 */
export function assetPath(name: string): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return join(folder, name);
}

/** The version of this package. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(assetPath("package.json"), "utf8")) as { version: string }).version;
}
