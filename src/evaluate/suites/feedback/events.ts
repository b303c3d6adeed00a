import { readFileSync } from "node:fs";
import { z } from "zod";
import { EVENTS, type FeedbackEvent } from "../../../ask/feedback-summary.js";
import { RecommenderError } from "../../../errors.js";

const event = z.object({
  at: z.string(),
  event: z.enum(EVENTS),
  recommendation: z.string(),
  rank: z.int().min(1),
  mode: z.string(),
  confidence: z.number().min(0).max(1).nullable(),
  labels: z.array(z.string()),
  embedder: z.string(),
});

export interface KeptEvents {
  readonly events: readonly FeedbackEvent[];
  /** Lines that are no event, such as a last one that a crash cut short. */
  readonly unreadable: number;
}

/** What a service kept beside its index. */
export function readEvents(file: string): KeptEvents {
  const lines = readLines(file);
  const parsed = lines.map((line) => event.safeParse(parseJson(line)));
  const events = parsed.flatMap(({ data }) => (data === undefined ? [] : [data]));
  return { events, unreadable: lines.length - events.length };
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "");
  } catch (cause) {
    const message = `There is no feedback in ${file}; a service keeps it where CELREC_FEEDBACK=on is set.`;
    throw new RecommenderError("NOT_FOUND", message, { cause });
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
