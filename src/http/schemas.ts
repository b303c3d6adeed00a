import { z } from "zod";

/** Hex sha-256: the id of a cell or a notebook. */
const id = z.string().regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal digits");

/** Other characters cannot be seen in a list, or end the name where it is shown. */
export const notebookName = z
  .string()
  .min(1, "must not be empty")
  .max(1024, "must have at most 1,024 characters")
  .regex(/^[^\x00-\x1f\x7f]*$/, "must not hold control characters");

const settings = {
  k: z.int().min(1).max(100).default(3),
  label: z.string().optional(),
  filter: z.enum(["strict", "soft", "off"]).optional(),
  mode: z.enum(["similar", "complete", "next"]).optional(),
  diversity: z.number().min(0).max(1).optional(),
  minConfidence: z.number().min(0).max(1).optional(),
  context: z
    .strictObject({ before: z.array(z.string()).max(1_000).optional(), markdown: z.string().optional() })
    .optional(),
  explain: z.boolean().optional(),
  collapse: z.boolean().optional(),
  exclude: z.strictObject({ notebooks: z.array(id).max(1_000) }).optional(),
};

/** What is typed, or the place of a stored cell. */
export const recommendBody = z.union([
  z.strictObject({ code: z.string(), ...settings }),
  z.strictObject({ notebook: id, cellIndex: z.int().min(0), ...settings }),
]);

export const labelBody = z.union([
  z.strictObject({ code: z.string(), partial: z.boolean().default(false) }),
  z.strictObject({ notebook: z.record(z.string(), z.unknown()) }),
]);

export const uploadQuery = z.strictObject({ name: notebookName.optional() });

export const pageQuery = z.strictObject({
  cursor: id.optional(),
  limit: z
    .string()
    .regex(/^\d{1,4}$/, "must be an integer from 1 to 1,000")
    .transform(Number)
    .pipe(z.int().min(1).max(1_000))
    .default(100),
});

export const idParams = z.strictObject({ id });
export const noQuery = z.strictObject({});
