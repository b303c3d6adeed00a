import { z } from "zod";

/** The inputs of the confidence model. */
export interface CompletionFacts {
  /** The product of the probabilities of the completion's tokens, and of the line's end if it is included. */
  readonly chance: number;
  /** The lowest of the probabilities of its tokens. */
  readonly weakest: number;
  readonly tokens: number;
  readonly isLine: boolean;
  /** Whether the token at the cursor is half-typed. */
  readonly isHalfTyped: boolean;
}

/** Weights of a logistic regression on `CompletionFacts`. */
export const calibrationSchema = z.object({
  bias: z.number(),
  chance: z.number(),
  weakest: z.number(),
  tokens: z.number(),
  line: z.number(),
  begun: z.number(),
});
export type Calibration = z.infer<typeof calibrationSchema>;

const MIN_CHANCE = 1e-6;

/** The probability that the user would type the completion. */
export function calibrate(weights: Calibration, facts: CompletionFacts): number {
  const [chance, weakest, tokens, line, begun] = calibrationInputs(facts);
  const sum =
    weights.bias +
    weights.chance * chance +
    weights.weakest * weakest +
    weights.tokens * tokens +
    weights.line * line +
    weights.begun * begun;
  return 1 / (1 + Math.exp(-sum));
}

export function calibrationInputs({ chance, weakest, tokens, isLine, isHalfTyped }: CompletionFacts) {
  return [logit(chance), logit(weakest), Math.log(1 + tokens), isLine ? 1 : 0, isHalfTyped ? 1 : 0] as const;
}

function logit(value: number): number {
  const kept = Math.min(1 - MIN_CHANCE, Math.max(MIN_CHANCE, value));
  return Math.log(kept / (1 - kept));
}
