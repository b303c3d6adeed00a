import { type Rule, words } from "../rule.js";

export const installsPackages: Rule = {
  name: "installs-packages",
  label: "setup_notebook",
  description: "Installs packages or fetches files with a shell command.",
  strength: 0.7,
  any: {
    magics: words(`
      !pip !pip3 %pip %pip3 !conda %conda !apt !apt-get !git !wget !curl !kaggle !unzip !mkdir !mv !cp !rm !cd %cd
      !tar !python
    `),
  },
};
