import { type Rule, words } from "../rule.js";

export const savesModels: Rule = {
  name: "saves-models",
  label: "transfer_results",
  description: "Saves a model or another result.",
  strength: 0.85,
  any: {
    methods: words(`
      save dump save_model save_weights export to_disk imwrite save_pretrained write_image write writestr writerow
      save_img copyfile copy2 move submit predict_and_submit to_file make_archive log_model log_artifact
    `),
    calls: ["save_model", "save_img", "save_results", "copyfile"],
  },
};
