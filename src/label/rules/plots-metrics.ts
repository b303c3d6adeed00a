import { type Rule, words } from "../rule.js";

export const plotsMetrics: Rule = {
  name: "plots-metrics",
  label: "evaluate_model",
  description: "Draws how good a model is: a confusion matrix, a ROC curve.",
  strength: 0.9,
  any: {
    calls: words(`
      plot_confusion_matrix plot_roc_curve plot_precision_recall_curve ConfusionMatrixDisplay RocCurveDisplay
      PrecisionRecallDisplay DetCurveDisplay CalibrationDisplay
    `),
    names: words("ConfusionMatrixDisplay RocCurveDisplay PrecisionRecallDisplay DetCurveDisplay CalibrationDisplay"),
  },
};
