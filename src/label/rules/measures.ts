import { type Rule, words } from "../rule.js";

export const measures: Rule = {
  name: "measures",
  label: "evaluate_model",
  description: "Computes a metric of a model.",
  strength: 0.93,
  any: {
    calls: words(`
      accuracy_score confusion_matrix classification_report mean_squared_error mean_absolute_error r2_score
      roc_auc_score roc_curve f1_score precision_score recall_score log_loss precision_recall_curve auc
      silhouette_score cohen_kappa_score cross_val_score cross_val_predict cross_validate mean_squared_log_error
      explained_variance_score balanced_accuracy_score rmse rmsle matthews_corrcoef permutation_importance
      PermutationImportance learning_curve validation_curve fbeta_score plot_confusion_matrix plot_roc plot_roc_curve
      plot_precision_recall_curve plot_learning_curve plot_ks_statistic plot_cumulative_gain ConfusionMatrixDisplay
      RocCurveDisplay PrecisionRecallDisplay ClassificationInterpretation mape mae show_weights top_losses
      score_samples cv_rmse cv_score median_absolute_error max_error mean_absolute_percentage_error
      average_precision_score precision_recall_fscore_support hamming_loss jaccard_score zero_one_loss hinge_loss
      brier_score_loss ndcg_score dcg_score top_k_accuracy_score davies_bouldin_score calinski_harabasz_score
      silhouette_samples adjusted_rand_score adjusted_mutual_info_score normalized_mutual_info_score homogeneity_score
      completeness_score v_measure_score multilabel_confusion_matrix mean_pinball_loss calibration_curve
      DetCurveDisplay CalibrationDisplay smape wape mase nrmse quadratic_weighted_kappa accuracy bleu_score
      sentence_bleu
    `),
  },
};
