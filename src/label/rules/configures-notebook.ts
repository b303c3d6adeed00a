import { type Rule, words } from "../rule.js";

export const configuresNotebook: Rule = {
  name: "configures-notebook",
  label: "setup_notebook",
  description: "Sets options of the notebook and its libraries.",
  strength: 0.7,
  any: {
    magics: words(`
      %matplotlib %load_ext %reload_ext %autoreload %config %pylab %env %tensorflow_version %%javascript
    `),
    methods: words(`
      filterwarnings simplefilter set_option set_printoptions init_notebook_mode set_config set_verbosity
      basicConfig enable_eager_execution load_ext set_loglevel disable_warnings
    `),
    attributes: ["environ", "rcParams", "options"],
  },
};
