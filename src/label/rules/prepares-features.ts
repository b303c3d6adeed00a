import { type Rule, words } from "../rule.js";

export const preparesFeatures: Rule = {
  name: "prepares-features",
  label: "process_data",
  description: "Scales, encodes, imputes, selects or splits for a model.",
  strength: 0.9,
  any: {
    calls: words(`
      fit_transform get_dummies train_test_split LabelEncoder OneHotEncoder OrdinalEncoder StandardScaler MinMaxScaler
      RobustScaler SimpleImputer Imputer LabelBinarizer to_categorical PolynomialFeatures TfidfVectorizer
      CountVectorizer SelectKBest RFE PCA SMOTE RandomUnderSampler RandomOverSampler resample factorize labelize
      inverse_transform TruncatedSVD power_transform boxcox minmax_scaling random_split KNNImputer ColumnTransformer
      VarianceThreshold fit_resample fit_sample Normalizer MaxAbsScaler QuantileTransformer PowerTransformer Binarizer
      KBinsDiscretizer FunctionTransformer IterativeImputer TargetEncoder BinaryEncoder CatBoostEncoder
      MultiLabelBinarizer TfidfTransformer HashingVectorizer DictVectorizer SelectFromModel SelectPercentile RFECV
      ADASYN BorderlineSMOTE SMOTEENN SMOTETomek NearMiss IncrementalPCA KernelPCA SparsePCA FastICA TSNE UMAP Isomap
      MDS StratifiedShuffleSplit ShuffleSplit quantile_transform label_binarize robust_scale minmax_scale
    `),
  },
};
