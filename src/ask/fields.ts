import { z } from "zod";
import { LIMITS } from "./limits.js";

/** Our own error texts: what the value must be, or that it is missing. */
const must = (text: string) => ({
  error: ({ input }: { readonly input?: unknown }) => (input === undefined ? "is missing" : `must be ${text}`),
});

export const anyText = () => z.string(must("a string"));

export function integer(least: number, most: number) {
  const text = must(`an integer from ${least} to ${most.toLocaleString("en")}`);
  return z.int(text).min(least, text).max(most, text);
}

/** An integer in a query string, with its default. */
export function digits(least: number, most: number, usual: number) {
  const text = must(`an integer from ${least} to ${most.toLocaleString("en")}`);
  return z
    .string(text)
    .regex(/^\d{1,9}$/, text)
    .transform(Number)
    .pipe(integer(least, most))
    .default(usual)
    .meta({ asJson: { type: "integer", minimum: least, maximum: most, default: usual } });
}

export function share() {
  const text = must("a number from 0 to 1");
  return z.number(text).min(0, text).max(1, text);
}

export const flag = () => z.boolean(must("true or false"));

export function choice<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values, must(`one of ${values.join(", ")}`));
}

/** The limit counts UTF-16 code units, as a string's length does. */
export function shortText(most: number) {
  const text = must(`a string of at most ${most.toLocaleString("en")} characters`);
  return z.string(text).max(most, text);
}

export function list<T extends z.ZodType>(of: T, most: number, what: string) {
  const text = must(`a list of at most ${most.toLocaleString("en")} ${what}`);
  return z.array(of, text).max(most, text);
}

/** An object that has these fields and no others. */
export function fields<T extends z.core.$ZodLooseShape>(shape: T) {
  return z.strictObject(shape, must("an object"));
}

/** Hex sha-256: the id of a cell or a notebook. */
export const hexId = () =>
  z.string(must("64 hexadecimal digits")).regex(/^[0-9a-f]{64}$/, must("64 hexadecimal digits"));

/** No control characters: they are invisible in a list, or end the name early. */
export function nameText(most: number) {
  const text = must(`a string of 1 to ${most.toLocaleString("en")} characters without control characters`);
  return z
    .string(text)
    .min(1, text)
    .max(most, text)
    .regex(/^[^\x00-\x1f\x7f]*$/, text);
}

/** An object whose fields the client names. */
export function named<T extends z.ZodType>(of: T, what: string) {
  return z.record(nameText(LIMITS.nameCharacters), of, must(`an object of ${what}`));
}

type Json = Record<string, unknown>;

export type ToJsonSchema = (schema: z.ZodType, io: "input" | "output") => Json;

/**
 * Our schemas as JSON Schema. A field can give its own JSON Schema (`asJson`), as integers in a query string do, and a
 * label is one of the configured label set.
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
