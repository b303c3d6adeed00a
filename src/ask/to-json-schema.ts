import { z } from "zod";

type Json = Record<string, unknown>;

export type ToJsonSchema = (schema: z.ZodType, io: "input" | "output") => Json;

/**
 * Our schemas as JSON Schema. A field may say how it is written in JSON where its own schema cannot: a number in a query
 * string, a label of the set, which is a choice of whoever runs the program.
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
