import { type Rule, words } from "../rule.js";

export const buildsEstimators: Rule = {
  name: "builds-estimators",
  label: "train_model",
  description: "Creates an estimator of a known family.",
  strength: 0.85,
  any: {
    calls: words(`
      classifier regressor LogisticRegression LinearRegression Ridge Lasso ElasticNet SVC SVR LinearSVC GaussianNB
      MultinomialNB BernoulliNB KMeans DBSCAN AgglomerativeClustering GaussianMixture Prophet ARIMA SARIMAX auto_arima
      OLS XGBClassifier XGBRegressor LGBMClassifier CatBoost DMatrix GridSearchCV RandomizedSearchCV
      BayesianOptimization VotingClassifier StackingRegressor StackingCVRegressor AdaBoost KernelRidge LassoCV RidgeCV
      ElasticNetCV SGDClassifier SGDRegressor IsolationForest ExponentialSmoothing SimpleExpSmoothing NearestNeighbors
      KNN cnn_learner create_cnn text_classifier_learner collab_learner tabular_learner make_pipeline lgb_train GMM
      linkage Perceptron LinearDiscriminantAnalysis QuadraticDiscriminantAnalysis MeanShift OPTICS SpectralClustering
      MiniBatchKMeans LdaModel LatentDirichletAllocation LdaMulticore OneClassSVM LocalOutlierFactor EllipticEnvelope
      NuSVC NuSVR ComplementNB CategoricalNB KMedoids KModes KPrototypes Word2Vec FastText Doc2Vec HoltWinters GLM
      Logit Probit BayesSearchCV HalvingGridSearchCV Lars LassoLars OrthogonalMatchingPursuit HDBSCAN Birch
      unet_learner language_model_learner vision_learner GaussianProcess CatBoostClassifier LGBMRegressor LGBMRanker
      TPOT create_study
    `),
  },
};
