import type { Rule } from "../rule.js";

export const computesOnly: Rule = {
  name: "computes-only",
  label: "process_data",
  description: "Assigns values without calling anything that another task is known by.",
  strength: 0.45,
  when: ({ statements }) => {
    const last = statements.at(-1);
    return last !== undefined && (last.kind.startsWith("assign") || last.kind === "augment" || last.kind === "del");
  },
};
