import { z } from "zod";
import { targetProblemsSchema } from "../../document.js";
import { predictionShape } from "../../predictions/document.js";

/** How often a kind of prediction ended how: `ok`, exception or limit -> cases. */
const endingsSchema = z.record(z.string(), z.int());

/** The result of `celrec eval exeds`. */
export const exedsResultSchema = z.strictObject({
  suite: z.literal("exeds"),
  ...predictionShape,
  counts: z.strictObject({ cases: z.int(), notebooks: z.int(), copies: z.int(), indexedCells: z.int() }),
  /** Of the recommended code as it is, and of its adapted form. */
  endings: z.strictObject({ raw: endingsSchema, adapted: endingsSchema }),
  problems: z.strictObject({
    target: targetProblemsSchema,
    /** Parts of the sandbox that the machine did not allow. */
    notIsolated: z.array(z.string()),
  }),
});

export type ExedsResult = z.infer<typeof exedsResultSchema>;
