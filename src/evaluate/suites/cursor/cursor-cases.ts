import { z } from "zod";
import { RecommenderError } from "../../../errors.js";
import { readJsonLines } from "../../../notebook/json-lines.js";
import { requireDistinctIds } from "../../runner/inputs.js";

/** A real cell with the cursor somewhere in it: `prefix + rest + suffix` is the cell. */
const caseSchema = z.object({
  id: z.string().min(1),
  notebook: z.string(),
  cell_index: z.int().min(0),
  /** What stands before the cursor: `line` for a line boundary, otherwise one of the seven kinds. */
  kind: z.string().min(1),
  prefix: z.string(),
  suffix: z.string().default(""),
  /** The rest of the line at the cursor, without a comment. */
  rest: z.string().refine((text) => text.trim() !== "", "must hold code"),
  /** The code cells above, nearest last. */
  preceding: z.array(z.string()),
  markdown: z
    .string()
    .nullish()
    .transform((text) => text ?? ""),
});

export type CursorCase = z.output<typeof caseSchema>;

/** The cases of a JSON-lines file; INPUT_INVALID with the line for one that cannot be read. */
export function readCursorCases(path: string): CursorCase[] {
  const cases = readJsonLines(path, "cases", caseSchema).map(({ value }) => value);
  if (cases.length === 0)
    throw new RecommenderError("INPUT_INVALID", `${path} has no cases; make some with: celrec eval build cursor`);
  requireDistinctIds(cases, path);
  return cases;
}

/** Whether the cursor is at the start of a line, so that the whole line is to come. */
export function isLineBoundary({ prefix }: Pick<CursorCase, "prefix">): boolean {
  return lineBeforeCursor(prefix).trim() === "";
}

/** The line at the cursor as far as it is typed. */
export function lineBeforeCursor(prefix: string): string {
  return prefix.slice(prefix.lastIndexOf("\n") + 1);
}
