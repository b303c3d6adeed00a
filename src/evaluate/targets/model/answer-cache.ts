import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { makeFolders } from "../../../notebook/file-system.js";
import { parseJsonLines } from "../../../notebook/json-lines.js";

/** What a model answered, and what that took. */
const answerSchema = z.object({
  text: z.string(),
  tokensIn: z.number(),
  tokensOut: z.number(),
  /** Whether the answer was cut off at the limit of tokens. */
  truncated: z.boolean(),
  ms: z.number(),
});
const entrySchema = answerSchema.extend({ key: z.string() });

export type ModelAnswer = Readonly<z.infer<typeof answerSchema>>;

/** Answers on disk, so that no question is paid for twice. */
export interface AnswerCache {
  find(key: string): ModelAnswer | undefined;
  add(key: string, answer: ModelAnswer): void;
}

/** The key of a question: the address and everything that is sent to it. */
export function questionKey(url: string, body: object): string {
  return createHash("sha256")
    .update(JSON.stringify([url, body]))
    .digest("hex");
}

/** One file of JSON lines per address and model. Several runs may write to it at once: lines are only appended. */
export function openAnswerCache(folder: string, name: string): AnswerCache {
  const file = join(folder, `${createHash("sha256").update(name).digest("hex").slice(0, 16)}.jsonl`);
  makeFolders(folder);
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  // A killed process may leave half a line. It is not removed, because another run may be writing after it.
  if (text !== "" && !text.endsWith("\n")) appendFileSync(file, "\n");
  const answers = new Map<string, ModelAnswer>();
  for (const line of parseJsonLines(text)) {
    const entry = "fault" in line ? undefined : entrySchema.safeParse(line.value).data;
    if (entry === undefined) continue;
    const { key, ...answer } = entry;
    answers.set(key, answer);
  }
  return {
    find: (key) => answers.get(key),
    add(key, answer) {
      answers.set(key, answer);
      appendFileSync(file, `${JSON.stringify({ key, ...answer })}\n`);
    },
  };
}
