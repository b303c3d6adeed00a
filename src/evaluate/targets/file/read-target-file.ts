import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { parseDocument } from "yaml";
import { type InputProblem, RecommenderError } from "../../../errors.js";
import { PLACEHOLDERS, placeholdersIn, renderUrl, withoutJson } from "./placeholders.js";
import { SECTIONS, type Section, type Step, type TargetFile, targetSchema } from "./target-schema.js";
import { parseBaseUrl } from "./target-server.js";

/** A checked target file. */
export interface ReadTarget {
  readonly file: TargetFile;
  readonly name: string;
  /** The working folder of commands, and the base of relative paths. */
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

/** Parses YAML or JSON, because every JSON document is also YAML. */
function parseYaml(path: string, text: string): unknown {
  const document = parseDocument(text, { stringKeys: true });
  const [error] = document.errors;
  if (error === undefined) return document.toJS() as unknown;
  const hint = text.includes("{{") ? " (a text with a placeholder has to be in quotes)" : "";
  // Further lines of the message quote the file.
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

type Env = Readonly<Record<string, string | undefined>>;

/** The placeholders that a text may use. */
interface AllowedPlaceholders {
  readonly names: readonly string[];
  readonly saved: readonly string[];
  readonly env: Env;
}

/** Finds placeholders that would have no value when their step runs, so the run does not fail halfway. */
function checkPlaceholders(file: TargetFile, env: Env): InputProblem[] {
  const outside = { names: ["port"], saved: [], env };
  const shared = savedBy(file.prepare?.steps ?? []);
  const { url, start, ready } = file;
  return [
    ...checkTexts({ url, start, ready }, "", outside),
    ...SECTIONS.flatMap((section) => {
      const names = ["port", ...namesOf(section, file)];
      const steps = file[section]?.steps ?? [];
      return steps.flatMap((step, at) => {
        const own = savedBy(steps.slice(0, at));
        const saved = section === "prepare" ? own : [...shared, ...own];
        const { save: _, ...texts } = step;
        return checkTexts(texts, `${section}.steps[${at}]`, { names, saved, env });
      });
    }),
  ];
}

/** The environment variables that the file uses. */
function envNames(file: TargetFile): string[] {
  const names = [...textsIn(file, "")].flatMap(([, text]) => placeholdersIn(text));
  return names
    .flatMap((name) => /^env\.(.+)$/.exec(name)?.[1] ?? [])
    .flatMap((name) => [name, withoutJson(name) ?? name]);
}

function namesOf(section: Section, { upload }: TargetFile): readonly string[] {
  if (section === "upload") return PLACEHOLDERS[upload?.each ?? "notebook"];
  if (section === "complete") return PLACEHOLDERS.cursor;
  return section === "recommend" || section === "output" ? PLACEHOLDERS.query : [];
}

function savedBy(steps: readonly Step[]): string[] {
  return steps.flatMap(({ save }) => Object.keys(save ?? {}));
}

function checkTexts(value: unknown, at: string, known: AllowedPlaceholders): InputProblem[] {
  return [...textsIn(value, at)].flatMap(([pointer, text]) =>
    placeholdersIn(text).flatMap((name) => {
      const message = describeUnknown(name, known);
      return message === null ? [] : [{ pointer, message: `{{${name}}} ${message}` }];
    }),
  );
}

function describeUnknown(name: string, known: AllowedPlaceholders): string | null {
  const candidates = [name, withoutJson(name)].filter((candidate) => candidate !== null);
  if (candidates.some((candidate) => isKnown(candidate, known))) return null;
  const { names, saved } = known;
  if (name.startsWith("env.")) return `is not set; set the environment variable ${name.slice("env.".length)}`;
  if (name.startsWith("saved."))
    return `was not saved by a step before; ${saved.length === 0 ? "nothing was" : `saved are ${saved.join(", ")}`}`;
  return `has no meaning here; allowed are ${[...names, "env.NAME", "saved.NAME"].join(", ")}, each also with _json`;
}

function isKnown(name: string, { names, saved, env }: AllowedPlaceholders): boolean {
  if (name.startsWith("env.")) return (env[name.slice("env.".length)] ?? "") !== "";
  if (name.startsWith("saved.")) return saved.includes(name.slice("saved.".length));
  return names.includes(name);
}

/** All texts inside a value, each with the path to it. */
function* textsIn(value: unknown, at: string): Generator<[string, string]> {
  if (typeof value === "string") yield [at, value];
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* textsIn(item, `${at}[${index}]`);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) yield* textsIn(item, at === "" ? key : `${at}.${key}`);
  }
}
