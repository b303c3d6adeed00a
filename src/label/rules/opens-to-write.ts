import type { Rule } from "../rule.js";

export const opensToWrite: Rule = {
  name: "opens-to-write",
  label: "transfer_results",
  description: "Opens a file to write into it.",
  strength: 0.7,
  any: {
    strings: ["w", "wb", "a", "w+"],
  },
  when: ({ builtins }) => builtins.has("open"),
};
