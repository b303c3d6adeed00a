import { z } from "zod";
import type { Immutable } from "../config.js";
import { id, probability } from "../recommend/recommendation.js";

/** A variable's type and, from a live kernel, its columns and members. */
export interface VariableFacts {
  readonly type: string;
  /** Columns of a frame. */
  readonly columns?: readonly string[] | undefined;
  /** Attributes and methods of the object. */
  readonly members?: readonly string[] | undefined;
}

export interface CompleteContext {
  /** The code cells above, the nearest last. */
  readonly before?: readonly string[] | undefined;
  /** The code cells below, the nearest first. */
  readonly after?: readonly string[] | undefined;
  /** The Markdown above. */
  readonly markdown?: string | undefined;
  /** Variables of a live kernel: the name of the type, or a description with columns and members. */
  readonly variables?: Readonly<Record<string, string | VariableFacts>> | undefined;
}

export interface CompleteRequest {
  /** The cell's text before the cursor. */
  readonly prefix: string;
  /** The cell's text after the cursor. Completions do not repeat it. */
  readonly suffix?: string | undefined;
  /** Maximum number of completions. */
  readonly k: number;
  /** Maximum number of lines of a completion. */
  readonly maxLines: number;
  /** Nothing is returned if the first completion has a lower confidence. Alternatives may have a lower one. */
  readonly minConfidence?: number | undefined;
  /** A lower minimum confidence, which applies if no completion reaches `minConfidence`. */
  readonly fallbackConfidence?: number | undefined;
  readonly context?: CompleteContext | undefined;
  /** Stops the work; the promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

const completion = z.strictObject({
  text: z.string().describe("The text to insert at the cursor, unchanged."),
  confidence: probability.describe("The probability that the user would type this text."),
  kind: z
    .enum(["token", "line", "block"])
    .describe("The extent of the text: to the end of a token, of the line, or of several lines."),
  from: z.enum(["notebook", "index", "prior"]).describe("The source with the largest share of the prediction."),
  cells: z.array(id).describe("Ids of stored cells that contain the text."),
});
export type Completion = Immutable<z.output<typeof completion>>;

export const completeAnswer = z.strictObject({
  id: z.uuid().describe("The id of this answer."),
  completions: z.array(completion).describe("The most probable first."),
  took: z.record(z.string(), z.number().min(0)).describe("Milliseconds per stage."),
});
export type CompleteAnswer = Immutable<z.output<typeof completeAnswer>>;

/** Continues the text at the cursor. */
export type Complete = (request: CompleteRequest) => Promise<CompleteAnswer>;
