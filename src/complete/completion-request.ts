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

export interface Completion {
  /** The text to insert at the cursor, unchanged. */
  readonly text: string;
  /** The calibrated probability that the user would type this text. */
  readonly confidence: number;
  readonly kind: "token" | "line" | "block";
  /** The source with the largest share of the prediction. */
  readonly from: "notebook" | "index" | "prior";
  /** Ids of indexed cells that contain the text. */
  readonly cells: readonly string[];
}

export interface CompleteAnswer {
  readonly id: string;
  /** The most probable first; empty if nothing is probable enough. */
  readonly completions: readonly Completion[];
  /** Milliseconds per stage. */
  readonly took: Readonly<Record<string, number>>;
}

/** Continues the text at the cursor. */
export type Complete = (request: CompleteRequest) => Promise<CompleteAnswer>;
