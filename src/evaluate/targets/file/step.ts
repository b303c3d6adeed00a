import { z } from "zod";
import { parsePath } from "./path.js";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** A strict object whose complaint about an unknown field says which ones there are. */
export function fields<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
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

export const path = z.string("must be a path such as hits[*].code").transform((text, context) => {
  const parsed = parsePath(text);
  if (parsed !== null) return parsed;
  context.addIssue({ code: "custom", message: "must be a path such as hits[*].code" });
  return z.NEVER;
});

const text = z.string("must be a text, in quotes");
const texts = z.record(z.string(), text, "must be an object of texts");
const seconds = z
  .number("must be a number of seconds")
  .positive("must be more than 0")
  .max(3_600, "must be at most 3600");
const code = z.int("must be a whole number").min(0).max(599);
/** What every step can have: the status or exit code that means success, the time it has, and what to keep of its answer. */
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
  form: z.record(z.string(), z.union([text, file], "must be a text, or a file: content, filename, type")).optional(),
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
    .array(text, "must be a list of texts: a program and its arguments")
    .min(1, "must name a program")
    .optional(),
  shell: text.regex(/^((?!\{\{).)*$/s, "must not hold placeholders; hand them over in env").optional(),
  cwd: text.optional(),
  env: texts.optional(),
};

export const startCommand = hasOneProgram(fields(program));
const commandStep = hasOneProgram(fields({ ...program, stdin: text.optional(), ...common }));

export type HttpStep = z.output<typeof httpStep>;
export type CommandStep = z.output<typeof commandStep>;
export type Step = HttpStep | CommandStep;

/** An HTTP request or a command: the fields tell which one is meant, so that complaints speak of that one alone. */
export const step = z.unknown().transform((value, context): Step => {
  const parsed = isCommand(value) ? commandStep.safeParse(value) : httpStep.safeParse(value);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) context.issues.push({ ...issue, input: value } as z.core.$ZodRawIssue);
  return z.NEVER;
});

export const steps = z.array(step, "must be a list of steps").min(1, "must have at least one step");

/** `ready` asks a server; a command that waits is a step of `prepare`. */
export const request = httpStep;

export function isCommand(value: unknown): value is CommandStep {
  return typeof value === "object" && value !== null && ("command" in value || "shell" in value);
}

function hasOneProgram<T extends z.ZodType<{ command?: unknown; shell?: unknown }>>(schema: T): T {
  return schema.refine(({ command, shell }) => count(command, shell) === 1, "must have either command or shell");
}

function count(...values: unknown[]): number {
  return values.filter((value) => value !== undefined).length;
}
