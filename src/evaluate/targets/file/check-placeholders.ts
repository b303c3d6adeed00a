import type { InputProblem } from "../../../errors.js";
import { placeholdersIn, withoutJson } from "./placeholders.js";
import { SECTIONS, type Section, type TargetFile } from "./schema.js";
import type { Step } from "./step.js";
import { PLACEHOLDERS } from "./values.js";

type Env = Readonly<Record<string, string | undefined>>;

/** What a text can refer to where it stands. */
interface Known {
  readonly names: readonly string[];
  readonly saved: readonly string[];
  readonly env: Env;
}

/** Every placeholder that would have no value when its step runs, so that a run does not fail on it halfway. */
export function checkPlaceholders(file: TargetFile, env: Env): InputProblem[] {
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
export function envNames(file: TargetFile): string[] {
  const names = [...textsIn(file, "")].flatMap(([, text]) => placeholdersIn(text));
  return names
    .flatMap((name) => /^env\.(.+)$/.exec(name)?.[1] ?? [])
    .flatMap((name) => [name, withoutJson(name) ?? name]);
}

function namesOf(section: Section, { upload }: TargetFile): readonly string[] {
  if (section === "upload") return PLACEHOLDERS[upload?.each ?? "notebook"];
  return section === "recommend" ? PLACEHOLDERS.query : [];
}

function savedBy(steps: readonly Step[]): string[] {
  return steps.flatMap(({ save }) => Object.keys(save ?? {}));
}

function checkTexts(value: unknown, at: string, known: Known): InputProblem[] {
  return [...textsIn(value, at)].flatMap(([pointer, text]) =>
    placeholdersIn(text).flatMap((name) => {
      const message = complain(name, known);
      return message === null ? [] : [{ pointer, message: `{{${name}}} ${message}` }];
    }),
  );
}

function complain(name: string, known: Known): string | null {
  const candidates = [name, withoutJson(name)].filter((candidate) => candidate !== null);
  if (candidates.some((candidate) => isKnown(candidate, known))) return null;
  const { names, saved } = known;
  if (name.startsWith("env.")) return `is not set; set the environment variable ${name.slice("env.".length)}`;
  if (name.startsWith("saved."))
    return `was not saved by a step before; ${saved.length === 0 ? "nothing was" : `saved are ${saved.join(", ")}`}`;
  return `has no meaning here; allowed are ${[...names, "env.NAME", "saved.NAME"].join(", ")}, each also with _json`;
}

function isKnown(name: string, { names, saved, env }: Known): boolean {
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
