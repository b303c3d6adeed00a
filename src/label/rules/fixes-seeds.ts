import type { Rule } from "../rule.js";

export const fixesSeeds: Rule = {
  name: "fixes-seeds",
  label: "setup_notebook",
  description: "Makes random numbers repeatable.",
  strength: 0.35,
  any: {
    methods: ["seed", "manual_seed", "set_seed", "set_random_seed", "manual_seed_all"],
    calls: ["seed_everything", "set_seed", "random_seed"],
  },
};
