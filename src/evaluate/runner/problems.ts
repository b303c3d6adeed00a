import type { TargetProblems } from "../document.js";

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

/** One line that names what a target did wrong; none where it did nothing. */
export function describeProblems(problems: TargetProblems): string[] {
  const faults = Object.entries(problems).filter(([, count]) => count > 0);
  return faults.length === 0 ? [] : [`target: ${faults.map(([name, count]) => `${count} ${name}`).join(", ")}`];
}
