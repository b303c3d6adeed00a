import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { parseDocument } from "yaml";
import { type InputProblem, RecommenderError } from "../../../errors.js";
import { parseBaseUrl } from "./base-url.js";
import { checkPlaceholders, envNames } from "./check-placeholders.js";
import { renderUrl } from "./placeholders.js";
import { SECTIONS, type TargetFile, targetSchema } from "./schema.js";

/** A target file that can be used. */
export interface ReadTarget {
  readonly file: TargetFile;
  readonly name: string;
  /** Where commands run and what relative folders are below. */
  readonly folder: string;
  /** Hex sha-256 of the text. */
  readonly hash: string;
  /** The values of the environment variables that the file uses, by name. */
  readonly env: ReadonlyMap<string, string>;
}

/** Reads and checks a target file; INPUT_INVALID names everything that is wrong in it at once. */
export function readTargetFile(path: string, env: Readonly<Record<string, string | undefined>>): ReadTarget {
  const text = readText(path);
  const parsed = targetSchema.safeParse(parseYaml(path, text), { reportInput: false });
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path: at, message }) => ({ pointer: toPlace(at), message }));
    throw invalid(path, problems);
  }
  const file = parsed.data;
  const problems = [...checkPlaceholders(file, env), ...checkPaths(file)];
  if (problems.length > 0) throw invalid(path, problems);
  const used = new Map(envNames(file).flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  if (!isBase(file, used)) {
    const message = "must be an http or https URL without user, password, query and fragment; send secrets as headers";
    throw invalid(path, [{ pointer: "url", message }]);
  }
  return {
    file,
    name: file.name ?? basename(path),
    folder: dirname(resolve(path)),
    hash: createHash("sha256").update(text).digest("hex"),
    env: used,
  };
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new RecommenderError("INPUT_INVALID", `The target file ${path} cannot be read: ${(cause as Error).message}`, {
      cause,
    });
  }
}

/** JSON is YAML too. */
function parseYaml(path: string, text: string): unknown {
  const document = parseDocument(text, { stringKeys: true });
  const [error] = document.errors;
  if (error === undefined) return document.toJS() as unknown;
  const hint = text.includes("{{") ? " (a text with a placeholder has to be in quotes)" : "";
  // The lines below the first quote the file.
  throw invalid(path, [{ pointer: "", message: `${error.message.split("\n")[0]!.replace(/:$/, "")}${hint}` }]);
}

function checkPaths(file: TargetFile): InputProblem[] {
  if (file.url !== undefined) return [];
  const steps = SECTIONS.flatMap((section) =>
    (file[section]?.steps ?? []).map((step, index) => ({ step, at: `${section}.steps[${index}]` })),
  );
  const all = file.ready === undefined ? steps : [{ step: file.ready, at: "ready" }, ...steps];
  return all.flatMap(({ step, at }) =>
    "path" in step && step.path !== undefined
      ? [{ pointer: `${at}.path`, message: "needs a url at the top of the file, or write a whole url here" }]
      : [],
  );
}

function isBase({ url }: TargetFile, env: ReadonlyMap<string, string>): boolean {
  const values = new Map<string, unknown>([
    ["port", 80],
    ...[...env].map(([name, value]) => [`env.${name}`, value] as const),
  ]);
  return url === undefined || parseBaseUrl(renderUrl(url, values)) !== null;
}

function toPlace(path: readonly PropertyKey[]): string {
  return path.reduce<string>((at, part) => {
    if (typeof part === "number") return `${at}[${part}]`;
    return at === "" ? String(part) : `${at}.${String(part)}`;
  }, "");
}

function invalid(path: string, problems: readonly InputProblem[]): RecommenderError {
  const lines = problems.map(({ pointer, message }) => `  ${pointer === "" ? "" : `${pointer}: `}${message}`);
  const message = `The target file ${path} is wrong (docs/guide/targets.md has the format):\n${lines.join("\n")}`;
  return new RecommenderError("INPUT_INVALID", message, { problems });
}
