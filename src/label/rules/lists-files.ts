import { type Rule, words } from "../rule.js";

export const listsFiles: Rule = {
  name: "lists-files",
  label: "validate_data",
  description: "Lists files or asks the machine about itself.",
  strength: 0.8,
  any: {
    methods: ["listdir", "walk", "glob", "getcwd", "ls", "check_output", "cpu_count"],
    magics: words(`
      !ls %ls !cat !head !nvidia-smi !pwd !free !df !du %%time %timeit %%timeit %who ?
    `),
  },
};
