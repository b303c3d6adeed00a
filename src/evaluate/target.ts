import type { NamedNotebook } from "../notebook/notebook.js";
import type { FilterMode, Mode } from "../recommend/recommendation.js";
import type { TargetProblems } from "./result-document.js";

/** An executed cell, in Themisto's form; unknown fields are missing. */
export interface ExecutedStep {
  readonly code: string;
  readonly output: string;
  /** In seconds. */
  readonly execution_time?: number | null | undefined;
  readonly memory_bytes?: number | null | undefined;
  /** The variables after the step; sizes in bytes, values as `repr` shows them. */
  readonly runtime_variables: Readonly<Record<string, RuntimeVariable>>;
}

export interface RuntimeVariable {
  readonly type: string;
  readonly size?: number | string | null | undefined;
  readonly value?: string | null | undefined;
}

/** One question to a recommender: the typed part of a cell, and the cells above. */
export interface TargetQuery {
  readonly code: string;
  readonly k: number;
  /** Cells above, nearest last, and the Markdown directly above. */
  readonly context?: {
    readonly before: readonly string[];
    readonly markdown: string;
    /** Types of the kernel's variables, by name; only if the target accepts them. */
    readonly variables?: Readonly<Record<string, string>>;
  };
  /** All cells above, of any type, nearest last, for a target in this process. */
  readonly above?: readonly { readonly type: string; readonly source: string }[];
  /** All executed steps before, in order, and the author's task. */
  readonly trajectory?: { readonly task: string; readonly steps: readonly ExecutedStep[] };
}

/** Settings of every request besides code, k and context; the service's defaults apply to the rest. */
export interface RequestSettings {
  readonly filter?: FilterMode;
  readonly mode?: Mode;
  readonly collapse?: boolean;
  readonly diversity?: number;
}

/** A recommended cell as returned by the target. It is identified by its code, not by the target's ids. */
export interface TargetHit {
  readonly code: string;
  /** The code with its variables renamed to those of the cells above, if the target gives it. */
  readonly adapted?: string;
  /** The insertion at the cursor, renamed in the same way, if the target gives it. */
  readonly insert?: string;
  /** Whether the insertion continues the line of the cursor; else it starts a new line. */
  readonly continuesLine?: boolean;
  /** The answer before fences and language tags were removed, if they were. */
  readonly raw?: string;
  readonly score: number | null;
  readonly confidence: number | null;
}

export interface TargetAnswer {
  /** Best first, at most k. */
  readonly hits: readonly TargetHit[];
  /** Parts of the answer that could not be read. */
  readonly junk: number;
  /** Milliseconds by stage; `total` is always there. */
  readonly took: Readonly<Record<string, number>>;
}

/** A question about a cursor: the text before it, optionally the text after it, and the cells above. */
export interface CursorQuery {
  readonly prefix: string;
  readonly suffix?: string;
  readonly k: number;
  /** The minimum confidence of a completion, which only some targets support. 0 by default. */
  readonly minConfidence?: number;
  readonly context: { readonly before: readonly string[]; readonly markdown: string };
}

/** A text to insert at the cursor. */
export interface TargetCompletion {
  readonly text: string;
  /** Null if the target gives none. */
  readonly confidence: number | null;
  /** `token`: the text is meant as a prefix of the rest of the line; otherwise as the whole rest. */
  readonly kind?: string | undefined;
}

export interface CompletionsAnswer {
  /** Best first, at most k. */
  readonly completions: readonly TargetCompletion[];
  /** Parts of the answer that could not be read. */
  readonly junk: number;
  /** Milliseconds by stage; `total` is always there. */
  readonly took: Readonly<Record<string, number>>;
}

/** Token usage of a language model, including answers from the cache. */
export interface ModelUsage {
  readonly answers: number;
  readonly asked: number;
  readonly fromCache: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** Answers that were cut off at the token limit. */
  readonly truncated: number;
  /** Null without prices. */
  readonly costOfRun: number | null;
  readonly costOfAnswers: number | null;
}

/** A recommender under evaluation. Errors of `prepare` and `add` end a run; failed questions are only counted. */
export interface Target {
  readonly name: string;
  /** The name in the report. */
  readonly settings: Readonly<Record<string, string | number | boolean | null>>;
  /** Whether a language model writes its answers, which are then executed without review. */
  readonly generates?: boolean;
  /** Whether `context.variables` may be sent; a strict server rejects unknown fields. */
  readonly takesVariables?: boolean;
  /** Whether `minConfidence` changes the completions themselves, instead of only filtering them. */
  readonly takesMinConfidence?: boolean;
  /** False for a target that only completes at a cursor. */
  readonly canRecommend?: boolean;
  /** Whether the target gives at most one answer, as a text generator does. Then a short list is not a problem. */
  readonly givesOne?: boolean;
  /** Whether the target caches its answers on disk; then the journal need not store them. */
  readonly isCached?: boolean;
  /** Checks that the target answers and is empty; throws TARGET_FAILED otherwise. */
  prepare(): Promise<void>;
  /** Adds notebooks to the index of the target. Their cells can be found when the promise resolves. */
  add(notebooks: readonly NamedNotebook[]): Promise<void>;
  /** Throws a TargetFault if there is no usable answer. */
  recommend(query: TargetQuery): Promise<TargetAnswer>;
  /**
   * Predicts the output of `code` after the trajectory; the `code` of a hit is the output. Undefined if not supported.
   */
  predictOutput?(query: TargetQuery): Promise<TargetAnswer>;
  /** Completes the text at a cursor; undefined if not supported. */
  complete?(query: CursorQuery): Promise<CompletionsAnswer>;
  /** Tokens and cost so far, of a language model. */
  usage?(): ModelUsage;
  close(): Promise<void>;
}

/** The target name of this recommender. */
export const OWN_TARGET = "celrec";

/** The reason why a question got no answer, by its name in the report. */
export type FaultKind = Exclude<keyof TargetProblems, "short" | "duplicates">;

export class TargetFault extends Error {
  readonly kind: FaultKind;

  constructor(kind: FaultKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TargetFault";
    this.kind = kind;
  }
}

/** Name prefix of systems that are the target itself with other settings. */
export const RECOMMENDER = "recommender";

/** Name of the recommender when it is asked without variables. */
export const WITHOUT_VARIABLES = `${RECOMMENDER}, without variables`;

/** Wraps a target so that it does not get the variables of the kernel. */
export function withoutVariables(target: Target): Target {
  return { ...target, takesVariables: false };
}
