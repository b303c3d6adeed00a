import { z } from "zod";
import { predictionShape } from "../../predictions/document.js";

/** The result of `celrec eval juice`. */
export const juiceResultSchema = z.strictObject({
  suite: z.literal("juice"),
  ...predictionShape,
  counts: z.strictObject({
    cases: z.int(),
    notebooks: z.int(),
    /** Cases whose cell stands verbatim in the index. */
    copies: z.int(),
    indexedCells: z.int(),
  }),
});

export type JuiceResult = z.infer<typeof juiceResultSchema>;
