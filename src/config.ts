import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { RecommenderError } from "./errors.js";

/** An empty variable is an unset one, as in a compose file that passes variables through. */
const optional = <T extends z.ZodType>(type: T) => z.preprocess((value) => (value === "" ? undefined : value), type);

const choice = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, `must be ${values.slice(0, -1).join(", ")} or ${values.at(-1)}`);

const names = (each: RegExp, message: string) =>
  z
    .string()
    .default("")
    .transform((text) => text.split(",").map((name) => name.trim().toLowerCase()))
    .transform((list) => list.filter((name) => name !== ""))
    .refine((list) => list.every((name) => each.test(name)), message);

const schema = z.object({
  CELREC_DATA: optional(z.string().default(".celrec")),
  CELREC_STORE: optional(choice(["embedded", "milvus"]).default("embedded")),
  CELREC_MILVUS_ADDRESS: optional(
    z
      .string()
      .regex(/^[^\s/]+:\d{1,5}$/, "must be HOST:PORT, such as localhost:19530")
      .default("localhost:19530"),
  ),
  CELREC_MILVUS_PREFIX: optional(
    z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, "must be letters, digits and underscores, and start with no digit")
      .default("celrec"),
  ),
  CELREC_PRESET: optional(choice(["default", "paper"]).default("default")),
  CELREC_EMBEDDER: optional(choice(["default", "lexical", "codebert"]).optional()),
  CELREC_MODEL: optional(z.string().default("microsoft/codebert-base")),
  CELREC_LABELS: optional(z.string().optional()),
  CELREC_URL: optional(
    z
      .string()
      .regex(/^https?:\/\/[^\s?#]+$/, "must be the address of a service, such as https://lab.example.org/celrec")
      .optional(),
  ),
  CELREC_TOKEN: optional(
    z
      .string()
      .min(16, "must have at least 16 characters")
      // A hash with a slip would be a password that nobody knows.
      .regex(/^(?!sha256:)|^sha256:[0-9a-f]{64}$/i, "must have 64 hexadecimal digits behind sha256:")
      .optional(),
  ),
  CELREC_TOKENS_FILE: optional(z.string().optional()),
  CELREC_HOSTS: optional(names(/^[\w.-]+$/, "must be host names without ports, parted by commas")),
  CELREC_ORIGINS: optional(
    names(/^https?:\/\/[\w.-]+(:\d{1,5})?$/, "must be origins such as https://lab.example.org, parted by commas"),
  ),
  CELREC_RATE: optional(
    z
      .string()
      .regex(/^\d{1,7}$/, "must be a number of requests per minute, 0 for no limit")
      .transform(Number)
      .optional(),
  ),
  CELREC_WORKERS: optional(
    z
      .string()
      .regex(/^\d{1,2}$/, "must be a number of threads, 0 to 64")
      .transform(Number)
      .pipe(z.int().max(64, "must be a number of threads, 0 to 64"))
      .optional(),
  ),
  CELREC_FEEDBACK: optional(choice(["off", "on"]).default("off")),
  CELREC_SECRETS: optional(choice(["report", "mask", "refuse"]).default("report")),
  CELREC_HOST: optional(z.string().default("127.0.0.1")),
  CELREC_PORT: optional(
    z
      .string()
      .regex(/^\d{1,5}$/, "must be a port number, 0 to 65535")
      .transform(Number)
      .pipe(z.int().max(65_535, "must be a port number, 0 to 65535"))
      .default(8787),
  ),
});

/** Ten keys a second, from a client that asks at every key. */
const USUAL_RATE = 600;

type Environment = z.output<typeof schema>;

export interface Config {
  /** Folder of the embedded index. */
  readonly data: string;
  readonly store: "embedded" | "milvus";
  readonly milvusAddress: string;
  /** What the names of the collections in Milvus begin with; two indexes on one server need two. */
  readonly milvusPrefix: string;
  readonly preset: "default" | "paper";
  readonly embedder: "default" | "lexical" | "codebert";
  /** Folder or hub id of the CodeBERT model. */
  readonly model: string;
  /** Folder of the user's own rules and labels. */
  readonly labels?: string;
  /** A service that agents ask, instead of an index on this machine. */
  readonly url?: string;
  /** A token that may do everything, itself or as `sha256:` and the hex hash. */
  readonly token?: string;
  /** A file of tokens with their scopes. */
  readonly tokensFile?: string;
  /** Names that this service is reached by, besides its address. */
  readonly hosts: readonly string[];
  /** Web pages of these origins may call the service. */
  readonly origins: readonly string[];
  /** Requests per minute and token, or address; 0 is no limit. */
  readonly rate: number;
  /** Threads of the service that answer questions; with 0 the main thread does. What suits the index unless told. */
  readonly workers?: number;
  /** Whether what people did with recommendations is kept. */
  readonly feedback: boolean;
  /** What becomes of an uploaded notebook that holds a password or a key. */
  readonly secrets: "report" | "mask" | "refuse";
  readonly host: string;
  readonly port: number;
}

/** The only reader of the environment; reports every wrong variable at once. */
export function parseConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const parsed = schema.safeParse(env);
  const wrong = new Map(parsed.error?.issues.map(({ path, message }) => [String(path[0]), message]));
  if (env.CELREC_PRESET === "paper" && !["", "codebert", undefined].includes(env.CELREC_EMBEDDER)) {
    wrong.set("CELREC_EMBEDDER", "must be codebert or unset, because the preset is paper");
  }
  if (parsed.success && wrong.size === 0) return Object.freeze(toConfig(parsed.data));
  const problems = [...wrong].map(([pointer, message]) => ({
    pointer,
    message: `${message} (${describe(pointer, env[pointer])})`,
  }));
  const lines = problems.map(({ pointer, message }) => `${pointer}: ${message}`);
  throw new RecommenderError("CONFIG_INVALID", `The configuration is wrong:\n${lines.join("\n")}`, { problems });
}

/** A token stays out of messages, which end up in logs. */
function describe(name: string, value = ""): string {
  if (name !== "CELREC_TOKEN") return `it is ${JSON.stringify(value)}`;
  const hash = /^sha256:(.*)$/is.exec(value)?.[1];
  return hash === undefined
    ? `it has ${value.length}`
    : `it has ${hash.match(/[0-9a-f]/gi)?.length ?? 0} in ${hash.length} characters`;
}

/** Whether only this machine can reach the address. */
export function isLoopback(host: string): boolean {
  return /^(127(\.\d{1,3}){3}|localhost|::1|\[::1\])$/i.test(host);
}

function toConfig(values: Environment): Config {
  const paper = values.CELREC_PRESET === "paper";
  return {
    data: values.CELREC_DATA,
    store: values.CELREC_STORE,
    milvusAddress: values.CELREC_MILVUS_ADDRESS,
    milvusPrefix: values.CELREC_MILVUS_PREFIX,
    preset: values.CELREC_PRESET,
    embedder: paper ? "codebert" : (values.CELREC_EMBEDDER ?? "default"),
    model: values.CELREC_MODEL,
    ...(values.CELREC_LABELS === undefined ? {} : { labels: values.CELREC_LABELS }),
    ...(values.CELREC_URL === undefined ? {} : { url: values.CELREC_URL }),
    ...(values.CELREC_TOKEN === undefined ? {} : { token: values.CELREC_TOKEN }),
    ...(values.CELREC_TOKENS_FILE === undefined ? {} : { tokensFile: values.CELREC_TOKENS_FILE }),
    hosts: values.CELREC_HOSTS,
    origins: values.CELREC_ORIGINS,
    rate: values.CELREC_RATE ?? (isLoopback(values.CELREC_HOST) ? 0 : USUAL_RATE),
    ...(values.CELREC_WORKERS === undefined ? {} : { workers: values.CELREC_WORKERS }),
    feedback: values.CELREC_FEEDBACK === "on",
    secrets: values.CELREC_SECRETS,
    host: values.CELREC_HOST,
    port: values.CELREC_PORT,
  };
}

/** A file or folder that ships with the package, such as `models/embedder`; sources and compiled code lie at different depths. */
export function assetPath(name: string): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return join(folder, name);
}

/** The version of this package. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(assetPath("package.json"), "utf8")) as { version: string }).version;
}
