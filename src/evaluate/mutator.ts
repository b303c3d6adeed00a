export const MUTATOR_KINDS = ["preserving", "degrading", "hard-negative"] as const;

/** A change to a cell. `preserving` keeps its meaning, `degrading` spoils it, `hard-negative` looks alike and does something else. */
export interface Mutator {
  readonly name: string;
  readonly description: string;
  readonly kind: (typeof MUTATOR_KINDS)[number];
  /** The changed code, or the code itself where the operator does not apply. Pure: no clock, no random, no I/O. */
  apply(code: string): string;
}
