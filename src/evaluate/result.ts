import { z } from "zod";
import { RecommenderError } from "../errors.js";
import { celrecResultSchema } from "./results/celrec.js";
import { labelsResultSchema } from "./results/labels.js";
import { typingResultSchema } from "./results/typing.js";

/** What `--json` prints and the reports are made of. A further suite is a further member here. */
export const resultDocumentSchema = z.discriminatedUnion("suite", [
  celrecResultSchema,
  typingResultSchema,
  labelsResultSchema,
]);

export type ResultDocument = z.infer<typeof resultDocumentSchema>;

/** Reads a result document; `name` is what the message of INPUT_INVALID calls it. */
export function parseResult(text: string, name: string): ResultDocument {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new RecommenderError("INPUT_INVALID", `${name} is not JSON: ${(cause as Error).message}`, { cause });
  }
  const parsed = resultDocumentSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => ({ pointer: `/${path.join("/")}`, message }));
  const [first] = problems;
  throw new RecommenderError(
    "INPUT_INVALID",
    `${name} is no result of celrec eval: ${first!.pointer}: ${first!.message}` +
      (problems.length > 1 ? ` (and ${problems.length - 1} more)` : ""),
    { cause: parsed.error, problems },
  );
}
