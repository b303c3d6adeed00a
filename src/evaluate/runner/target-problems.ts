import { RecommenderError } from "../../errors.js";
import type { TargetProblems } from "../result-document.js";

export function noProblems(): TargetProblems {
  return { timeouts: 0, errors5xx: 0, errorsOther: 0, short: 0, duplicates: 0, junk: 0 };
}

export function addProblems(total: TargetProblems, more: Partial<TargetProblems>): TargetProblems {
  const sum = (name: keyof TargetProblems) => total[name] + (more[name] ?? 0);
  return {
    timeouts: sum("timeouts"),
    errors5xx: sum("errors5xx"),
    errorsOther: sum("errorsOther"),
    short: sum("short"),
    duplicates: sum("duplicates"),
    junk: sum("junk"),
  };
}

/** TARGET_FAILED if a target gave no usable answer at all: zeros would look like a bad recommender. */
export function requireAnswers(
  answers: readonly { readonly hits: number; readonly problems: Partial<TargetProblems> }[],
): void {
  const isUseless = ({ hits, problems }: (typeof answers)[number]) => hits === 0 && hasFailed(problems);
  if (answers.length === 0 || !answers.every(isUseless)) return;
  const total = answers.reduce((sum, { problems }) => addProblems(sum, problems), noProblems());
  throw new RecommenderError(
    "TARGET_FAILED",
    `The target gave no usable answer to any of ${answers.length} questions (${describeFailures(total)}); nothing was measured.`,
  );
}

/** Kinds of failures with their counts; empty if there were none. */
export function describeFailures(problems: TargetProblems): string {
  return FAULTS.filter((fault) => problems[fault] > 0)
    .map((fault) => `${problems[fault]} ${fault}`)
    .join(", ");
}

/** Whether a target failed to answer, or answered what cannot be read. */
export function hasFailed(problems: Partial<TargetProblems>): boolean {
  return FAULTS.some((fault) => (problems[fault] ?? 0) > 0);
}

const FAULTS = ["timeouts", "errors5xx", "errorsOther", "junk"] as const;
