export interface Question {
  readonly code: string;
  /** The text after the cursor, so that no card repeats it. */
  readonly suffix: string;
  readonly k: number;
  readonly context: {
    readonly before?: readonly string[];
    readonly markdown?: string;
    readonly variables?: Readonly<Record<string, string>>;
  };
  readonly exclude?: { readonly notebooks: readonly { readonly source: string; readonly path: string }[] };
}

/** The request for completions at the cursor. */
export interface CompletionQuestion {
  readonly prefix: string;
  readonly suffix: string;
  readonly k: number;
  readonly maxLines: number;
  readonly minConfidence: number;
  /** The answer for the first card, if nothing is likely enough for ghost text. */
  readonly fallbackConfidence: number;
  readonly context: {
    readonly before: readonly string[];
    readonly after: readonly string[];
    readonly markdown?: string;
    readonly variables?: Readonly<Record<string, VariableFacts>>;
  };
}

/** A variable of the running kernel. */
export interface VariableFacts {
  readonly type: string;
  /** Columns of a pandas frame. */
  readonly columns?: readonly string[];
}

export interface Completion {
  /** The text to insert at the cursor, unchanged. */
  readonly text: string;
  readonly confidence: number;
  readonly from: "notebook" | "index" | "prior";
}

export interface CompletionAnswer {
  readonly id: string;
  /** The most probable first. */
  readonly completions: readonly Completion[];
}

export interface Recommendation {
  readonly rank: number;
  readonly code: string;
  readonly matched: readonly { readonly start: number; readonly end: number }[];
  readonly insert: string;
  readonly continuesLine: boolean;
  readonly excerpt: readonly { readonly line: number; readonly text: string }[];
  readonly adapted: {
    readonly code: string;
    readonly insert: string;
    readonly renamed: Readonly<Record<string, string>>;
  };
  readonly confidence: number | null;
  readonly labels: readonly string[];
  readonly occurrences: number;
  readonly notebook: Origin;
}

export interface Origin {
  readonly id: string;
  readonly source: string;
  readonly name: string;
  readonly cellIndex: number;
  readonly location?: string;
  readonly title?: string;
  readonly author?: string;
  readonly licence?: string;
}

export interface Answer {
  readonly id: string;
  readonly mode: "similar" | "complete" | "next";
  readonly query: { readonly primary: string | null };
  readonly recommendations: readonly Recommendation[];
}

export interface LabelledCell {
  readonly index: number;
  readonly primary: string | null;
  readonly labels: readonly { readonly label: string; readonly probability: number }[];
  readonly probabilities: Readonly<Record<string, number>>;
}

export interface StoredNotebook {
  readonly name: string;
  readonly source: string;
  readonly cells: readonly { readonly cellIndex: number; readonly code: string }[];
}

export type FeedbackEvent = "shown" | "accepted" | "edited" | "dismissed";

/** The address of the service, from the Jupyter server. The token stays on that server. */
export interface Connection {
  readonly where: "here" | "elsewhere";
  readonly url: string | null;
  readonly hasToken: boolean;
  readonly problem: string | null;
}

/** The source name of notebooks that this extension indexes. */
export const SOURCE = "jupyter";
