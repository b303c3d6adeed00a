import { z } from "zod";

/** The path of a value in an answer: keys, positions, and null for all items of a list. */
export type Path = readonly (string | number | null)[];

const PART = /(\.?)([\p{L}_@][\p{L}\p{N}_@$-]*)|\[(\d+)\]|\[\*\]|\["([^"\\]*)"\]/uy;

/**
 * Reads `hits[*].cell.code` or `[0]["odd key"]`, with or without `$` in front; the empty text is the whole answer.
 * Null if it is not a path.
 */
export function parsePath(text: string): Path | null {
  const path: (string | number | null)[] = [];
  const rooted = text.startsWith("$");
  for (let end = rooted ? 1 : 0; end < text.length; end = PART.lastIndex) {
    PART.lastIndex = end;
    const match = PART.exec(text);
    if (match === null) return null;
    const [, dot, key, position, quoted] = match;
    // Every name but the first needs a dot before it.
    if (key !== undefined && (dot === ".") !== end > 0) return null;
    path.push(key ?? quoted ?? (position === undefined ? null : Number(position)));
  }
  return path;
}

/** Every value at the path, in order; none if a part of it is missing. */
export function pick(value: unknown, path: Path): unknown[] {
  return path.reduce<unknown[]>((found, part) => found.flatMap((one) => descend(one, part)), [value]);
}

function descend(value: unknown, part: Path[number]): unknown[] {
  if (part === null) return Array.isArray(value) ? value : [];
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return [];
  if (Array.isArray(value) && typeof part === "string") return [];
  // Wrapped in an array, so a list value is not flattened.
  return [(value as Record<string | number, unknown>)[part]];
}

/** The value at the path, or the list of values if it names every item. */
export function pickOne(value: unknown, path: Path): unknown {
  const found = pick(value, path);
  return path.includes(null) ? found : found[0];
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** A strict object whose error for an unknown field lists the known ones. */
function fields<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const allowed = Object.keys(shape).join(", ");
  return z.strictObject(shape, {
    error: ({ code, keys }) => {
      if (code === "invalid_type") return `must be an object with ${allowed}`;
      return code === "unrecognized_keys"
        ? `${(keys as string[]).join(", ")}: unknown; allowed are ${allowed}`
        : undefined;
    },
  });
}

const path = z.string("must be a path such as hits[*].code").transform((text, context) => {
  const parsed = parsePath(text);
  if (parsed !== null) return parsed;
  context.addIssue({ code: "custom", message: "must be a path such as hits[*].code" });
  return z.NEVER;
});

const text = z.string("must be a string");
const texts = z.record(z.string(), text, "must be an object of strings");
const seconds = z
  .number("must be a number of seconds")
  .positive("must be more than 0")
  .max(3_600, "must be at most 3600");
const code = z.int("must be an integer").min(0).max(599);
/** Fields of every step: the status or exit code of success, the timeout, and the values to save from its answer. */
const common = {
  expect: z
    .union([code.transform((one) => [one]), z.array(code).min(1)], "must be a number or a list of numbers")
    .optional(),
  timeout: seconds.optional(),
  save: z
    .record(z.string().regex(/^[A-Za-z]\w*$/), path, "must have names of letters, digits and _, each with a path")
    .optional(),
};

const file = fields({ content: z.json(), filename: text, type: text.default("application/octet-stream") });

const httpStep = fields({
  method: z.enum(METHODS, `must be one of ${METHODS.join(", ")}`).default("GET"),
  path: text.regex(/^(\/|\{\{)/, "must start with /").optional(),
  url: text.optional(),
  headers: texts.optional(),
  json: z.json().optional(),
  text: text.optional(),
  form: z.record(z.string(), z.union([text, file], "must be a string, or a file: content, filename, type")).optional(),
  ...common,
})
  .refine(({ path, url }) => (path === undefined) !== (url === undefined), "must have either path or url")
  .refine(({ json, text, form }) => count(json, text, form) <= 1, "must have only one of json, text and form")
  .refine(
    ({ method, json, text, form }) => method !== "GET" || count(json, text, form) === 0,
    "must have a method that sends a body, such as POST",
  );

const program = {
  command: z
    .array(text, "must be a list of strings: a program and its arguments")
    .min(1, "must name a program")
    .optional(),
  shell: text.regex(/^((?!\{\{).)*$/s, "must not contain placeholders; pass them in env").optional(),
  cwd: text.optional(),
  env: texts.optional(),
};

const startCommand = hasOneProgram(fields(program));
const commandStep = hasOneProgram(fields({ ...program, stdin: text.optional(), ...common }));

export type HttpStep = z.output<typeof httpStep>;
export type CommandStep = z.output<typeof commandStep>;
export type Step = HttpStep | CommandStep;

/** An HTTP request or a command. The fields decide which, so error messages are only about that one. */
const step = z.unknown().transform((value, context): Step => {
  const parsed = isCommand(value) ? commandStep.safeParse(value) : httpStep.safeParse(value);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) context.issues.push({ ...issue, input: value } as z.core.$ZodRawIssue);
  return z.NEVER;
});

const steps = z.array(step, "must be a list of steps").min(1, "must have at least one step");

/** `ready` asks a server; a command that waits is a step of `prepare`. */
const request = httpStep;

export function isCommand(value: unknown): value is CommandStep {
  return typeof value === "object" && value !== null && ("command" in value || "shell" in value);
}

function hasOneProgram<T extends z.ZodType<{ command?: unknown; shell?: unknown }>>(schema: T): T {
  return schema.refine(({ command, shell }) => count(command, shell) === 1, "must have either command or shell");
}

function count(...values: unknown[]): number {
  return values.filter((value) => value !== undefined).length;
}

/** A target file. `docs/guide/targets.md` describes all fields. */
export const targetSchema = fields({
  name: z.string("must be a string").min(1, "must not be empty").optional(),
  url: z.string("must be a string").optional(),
  timeout: z.number("must be a number of seconds").positive("must be more than 0").max(3_600).optional(),
  start: startCommand.optional(),
  ready: request.optional(),
  prepare: fields({ steps }).optional(),
  count: fields({ steps, value: path }).optional(),
  reset: fields({ steps }).optional(),
  upload: fields({
    each: z.enum(["notebook", "cell", "batch"], "must be one of notebook, cell, batch").default("notebook"),
    steps,
  }).optional(),
  recommend: fields({
    steps,
    hits: path.optional(),
    code: path.optional(),
    adapted: path.optional(),
    insert: path.optional(),
    score: path.optional(),
    confidence: path.optional(),
  }).optional(),
  output: fields({ steps, text: path.optional() }).optional(),
  complete: fields({
    steps,
    completions: path.optional(),
    text: path.optional(),
    confidence: path.optional(),
  }).optional(),
})
  .refine(({ recommend, complete }) => recommend !== undefined || complete !== undefined, {
    path: ["recommend"],
    message: "is missing; a file for `celrec eval cursor` may have complete instead",
  })
  .refine(
    ({ upload, start, count, reset }) =>
      upload === undefined || [start, count, reset].some((part) => part !== undefined),
    "must have start, count or reset: a run needs an empty target",
  )
  .refine(({ upload, recommend }) => upload === undefined || recommend === undefined || recommend.hits !== undefined, {
    path: ["recommend", "hits"],
    message: "must be a path such as hits[*].code; only a target without upload may answer with bare code",
  });

export type TargetFile = z.output<typeof targetSchema>;
export const SECTIONS = ["prepare", "count", "reset", "upload", "recommend", "output", "complete"] as const;
export type Section = (typeof SECTIONS)[number];
