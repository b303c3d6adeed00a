import shap
shap.initjs()
explainer = shap.TreeExplainer(tree_model)
shap_values = explainer.shap_values(X_explain)
shap.summary_plot(shap_values, X_explain, max_display=15)
shap.dependence_plot("age", shap_values, X_explain, interaction_index="bmi")
