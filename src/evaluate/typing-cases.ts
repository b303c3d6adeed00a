import { readFileSync } from "node:fs";
import { z } from "zod";
import { RecommenderError } from "../errors.js";

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
  const cases = readLines(path).flatMap((line, at) =>
    line.trim() === "" ? [] : [parseCase(line, `${path}, line ${at + 1}`)],
  );
  if (cases.length === 0) throw invalid(`${path} holds no cases; make some with: celrec eval build typing`);
  const ids = new Set<string>();
  for (const { id } of cases) {
    if (ids.has(id)) throw invalid(`${path}: two cases have the id ${id}.`);
    ids.add(id);
  }
  return cases;
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split("\n");
  } catch (cause) {
    throw new RecommenderError("NOT_FOUND", `The cases ${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

function parseCase(line: string, where: string): TypingInput {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch (cause) {
    throw invalid(`${where} is not JSON: ${(cause as Error).message}`);
  }
  const parsed = caseSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw invalid(
    `${where}: ${parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ")}`,
  );
}

function invalid(message: string): RecommenderError {
  return new RecommenderError("INPUT_INVALID", message);
}
