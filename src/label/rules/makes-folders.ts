import { type Rule, words } from "../rule.js";

export const makesFolders: Rule = {
  name: "makes-folders",
  label: "transfer_results",
  description: "Makes, moves or removes files and folders.",
  strength: 0.3,
  any: {
    methods: words(`
      mkdir makedirs rmtree remove rename copy copyfile move unlink
    `),
  },
  when: ({ names, modules, attributes }) =>
    names.has("os") || names.has("shutil") || modules.has("os") || attributes.has("path"),
};
