import { z } from "zod";
import { RecommenderError } from "../../../errors.js";
import { readJsonLines } from "../../../notebook/json-lines.js";
import { requireDistinctIds } from "../../runner/distinct-ids.js";

/** A real cell, half typed: what was there, what was still to come, and what stood before it. */
const caseSchema = z.object({
  id: z.string().min(1),
  notebook: z.string(),
  cell_index: z.int().min(0),
  fraction: z.union([z.number(), z.string()]),
  prefix: z.string(),
  rest: z.string(),
  reference: z.string(),
  preceding: z.array(z.string()),
  markdown: z
    .string()
    .nullish()
    .transform((text) => text ?? ""),
});

export type TypingInput = z.output<typeof caseSchema>;

/** The cases of a JSON-lines file; INPUT_INVALID with the line for one that cannot be read. */
export function readTypingCases(path: string): TypingInput[] {
  const cases = readJsonLines(path, "cases", caseSchema).map(({ value }) => value);
  if (cases.length === 0)
    throw new RecommenderError("INPUT_INVALID", `${path} holds no cases; make some with: celrec eval build typing`);
  requireDistinctIds(cases, path);
  return cases;
}
