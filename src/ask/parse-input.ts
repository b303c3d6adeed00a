import { z } from "zod";
import { type InputProblem, RecommenderError } from "../errors.js";
import { decode, findJsonHazard } from "../notebook/json-text.js";
import { LIMITS } from "./limits.js";

/** Longer values are not quoted in messages. */
const MAX_QUOTED = 80;

/** The parsed value, or an INPUT_INVALID error that lists every problem. */
export function parseInput<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = listProblems(parsed.error.issues, value, schema);
  const detail = problems.map(({ pointer, message }) => `${nameOf(pointer)} ${message}`).join("; ");
  throw new RecommenderError("INPUT_INVALID", detail, { problems });
}

/** The displayed name of a field, such as `context.before.3`. Programs use the JSON pointer. */
function nameOf(pointer: string): string {
  if (pointer === "") return "The request";
  const parts = pointer.slice(1).split("/");
  return `\`${parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~")).join(".")}\``;
}

/** For a union, the problems of the closest branch, which is the branch that has the given fields. */
function listProblems(issues: readonly z.core.$ZodIssue[], value: unknown, schema: z.ZodType): InputProblem[] {
  return issues.flatMap((issue): InputProblem[] => {
    if (issue.code === "invalid_union" && issue.errors.length > 0) {
      const nearest = [...issue.errors].sort(
        (a, b) => branchDistance(a) - branchDistance(b) || a.length - b.length,
      )[0]!;
      return listProblems(
        nearest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })),
        value,
        schema,
      );
    }
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => {
        const others = issue.path.length === 0 ? listOthers(schema, value, key) : [];
        const message =
          others.length === 0 ? "is not a known field" : `cannot be combined with ${others.join(" and ")}`;
        return { pointer: toPointer([...issue.path, key]), message };
      });
    }
    if (issue.code === "invalid_key") {
      const name = JSON.stringify(issue.path.at(-1));
      const shown = name.length > MAX_QUOTED ? "a long name" : `the name ${name}`;
      const message = `has ${shown}, which ${issue.issues[0]?.message}`;
      return [{ pointer: toPointer(issue.path.slice(0, -1)), message }];
    }
    return [{ pointer: toPointer(issue.path), message: `${issue.message}${quote(value, issue)}` }];
  });
}

/** The given fields that belong to another branch of the union than the key does. */
function listOthers(schema: z.ZodType, value: unknown, key: string): string[] {
  const branches = schema instanceof z.ZodUnion ? schema.options : [];
  const known = branches.map((branch) => (branch instanceof z.ZodObject ? Object.keys(branch.shape) : []));
  const mine = known.find((names) => names.includes(key));
  if (mine === undefined) return [];
  const others = Object.keys(value as object).filter((name) => !mine.includes(name));
  return others.filter((name) => known.some((names) => names.includes(name))).map((name) => `\`${name}\``);
}

function unknownKeys(issues: readonly z.core.$ZodIssue[]): string[] {
  return issues.flatMap((issue) => (issue.code === "unrecognized_keys" && issue.path.length === 0 ? issue.keys : []));
}

/** A value of another type is further away than one with a missing or an unknown field. */
function branchDistance(issues: readonly z.core.$ZodIssue[]): number {
  const isOther = issues.some(({ code, path }) => path.length === 0 && code !== "unrecognized_keys");
  if (isOther) return Number.POSITIVE_INFINITY;
  return issues.filter(({ message }) => message === "is missing").length + unknownKeys(issues).length;
}

export function toPointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** The wrong value, if it is short enough to quote. */
function quote(value: unknown, { code, path }: z.core.$ZodIssue): string {
  let at = value;
  for (const part of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, part)) return "";
    at = (at as Record<PropertyKey, unknown>)[part];
  }
  if (code === "too_big" && Array.isArray(at)) return `, not of ${at.length.toLocaleString("en")}`;
  if (typeof at === "object" && at !== null) return `, not ${Array.isArray(at) ? "a list" : "an object"}`;
  const text = JSON.stringify(at);
  return text === undefined || text.length > MAX_QUOTED ? "" : `, not ${text}`;
}

/** Parses the JSON of a request; INPUT_INVALID if it is not JSON, or has too many or too deep values. */
export function parseJson(bytes: Uint8Array, maxValues?: number): unknown {
  const text = decode(bytes).replace(/^\uFEFF/, "");
  const hazard = findJsonHazard(text, maxValues);
  if (hazard !== null) throw new RecommenderError("INPUT_INVALID", `The body is not accepted: ${hazard}.`);
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = text.trim() === "" ? "it is empty" : (cause as Error).message.slice(0, 200);
    throw new RecommenderError("INPUT_INVALID", `The body is not JSON: ${reason}`, { cause });
  }
}

/** Error texts for zod: the required form of the value, or that the value is missing. */
const must = (text: string) => ({
  error: ({ input }: { readonly input?: unknown }) => (input === undefined ? "is missing" : `must be ${text}`),
});

export const anyText = () => z.string(must("a string"));

export function integer(min: number, max: number) {
  const text = must(`an integer from ${min} to ${max.toLocaleString("en")}`);
  return z.int(text).min(min, text).max(max, text);
}

/** An integer in a query string, with its default. */
export function queryInteger(min: number, max: number, fallback: number) {
  const text = must(`an integer from ${min} to ${max.toLocaleString("en")}`);
  return z
    .string(text)
    .regex(/^\d{1,9}$/, text)
    .transform(Number)
    .pipe(integer(min, max))
    .default(fallback)
    .meta({ asJson: { type: "integer", minimum: min, maximum: max, default: fallback } });
}

export function share() {
  const text = must("a number from 0 to 1");
  return z.number(text).min(0, text).max(1, text);
}

export const flag = () => z.boolean(must("true or false"));

export function choice<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values, must(`one of ${values.join(", ")}`));
}

/** A string; the limit counts UTF-16 code units, like `length`. */
export function shortText(max: number) {
  const text = must(`a string of at most ${max.toLocaleString("en")} characters`);
  return z.string(text).max(max, text);
}

export function list<T extends z.ZodType>(of: T, max: number, what: string) {
  const text = must(`a list of at most ${max.toLocaleString("en")} ${what}`);
  return z.array(of, text).max(max, text);
}

/** An object that has these fields and no others. */
export function fields<T extends z.core.$ZodLooseShape>(shape: T) {
  return z.strictObject(shape, must("an object"));
}

/** Hex sha-256: the id of a cell or a notebook. */
export const hexId = () =>
  z.string(must("64 hexadecimal digits")).regex(/^[0-9a-f]{64}$/, must("64 hexadecimal digits"));

/** A name without control characters, which are invisible in lists or could truncate the name. */
export function nameText(max: number) {
  const text = must(`a string of 1 to ${max.toLocaleString("en")} characters without control characters`);
  return z
    .string(text)
    .min(1, text)
    .max(max, text)
    .regex(/^[^\x00-\x1f\x7f]*$/, text);
}

/** An object whose fields the client names. */
export function named<T extends z.ZodType>(of: T, what: string) {
  return z.record(nameText(LIMITS.nameCharacters), of, must(`an object of ${what}`));
}

type Json = Record<string, unknown>;

export type ToJsonSchema = (schema: z.ZodType, io: "input" | "output") => Json;

/**
 * Converts our schemas to JSON Schema. A field may define its own JSON Schema (`asJson`), as integers in a query string
 * do. Labels become an enumeration of the configured label set.
 */
export function createToJsonSchema(labels: readonly string[]): ToJsonSchema {
  return (schema, io) => {
    const { $schema: _, ...json } = z.toJSONSchema(schema, {
      io,
      unrepresentable: "any",
      override: ({ jsonSchema }) => {
        const field = jsonSchema as Json;
        const { asJson, isLabel } = field as { asJson?: Json; isLabel?: true };
        if (asJson !== undefined) for (const key of ["asJson", "type", "pattern"]) delete field[key];
        delete field.isLabel;
        Object.assign(field, asJson, isLabel && { enum: labels });
      },
    }) as Json;
    return json;
  };
}
