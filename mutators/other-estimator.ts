import type { Mutator } from "../src/evaluate/suite.js";
import { tokenize } from "../src/python/tokenize.js";
import { rewriteTokens } from "./syntax/edits.js";

/** Classes of one module that take the same data. */
const FAMILIES = [
  "LinearRegression Ridge Lasso ElasticNet BayesianRidge HuberRegressor",
  "LogisticRegression SGDClassifier RidgeClassifier Perceptron",
  "RandomForestClassifier GradientBoostingClassifier ExtraTreesClassifier AdaBoostClassifier BaggingClassifier",
  "RandomForestRegressor GradientBoostingRegressor ExtraTreesRegressor AdaBoostRegressor BaggingRegressor",
  "StackingClassifier VotingClassifier",
  "StackingRegressor VotingRegressor",
  "SVC LinearSVC NuSVC",
  "SVR LinearSVR NuSVR",
  "GaussianNB MultinomialNB BernoulliNB ComplementNB",
  "KNeighborsClassifier RadiusNeighborsClassifier NearestCentroid",
  "KNeighborsRegressor RadiusNeighborsRegressor",
  "DecisionTreeClassifier ExtraTreeClassifier",
  "DecisionTreeRegressor ExtraTreeRegressor",
  "KMeans AgglomerativeClustering DBSCAN SpectralClustering MeanShift",
  "PCA TruncatedSVD FastICA NMF",
  "TSNE Isomap MDS",
  "StandardScaler MinMaxScaler RobustScaler MaxAbsScaler",
  "OneHotEncoder OrdinalEncoder",
  "KFold StratifiedKFold ShuffleSplit",
  "GridSearchCV RandomizedSearchCV",
  "SimpleImputer KNNImputer",
  "CountVectorizer TfidfVectorizer HashingVectorizer",
  "XGBClassifier XGBRFClassifier",
  "XGBRegressor XGBRFRegressor",
  "LGBMClassifier LGBMRegressor",
  "CatBoostClassifier CatBoostRegressor",
  "LSTM GRU SimpleRNN",
  "Conv2D SeparableConv2D",
  "MaxPooling2D AveragePooling2D",
  "Adam RMSprop SGD Adagrad",
  "ResNet50 ResNet101 ResNet152",
  "resnet18 resnet34 resnet50",
].map((names) => names.split(" "));

const otherEstimator: Mutator = {
  name: "other-estimator",
  description: "Uses another estimator, transformer or layer of the same module.",
  kind: "hard-negative",
  apply: (code) => {
    const tokens = tokenize(code);
    const present = new Set(tokens.map(({ text }) => text));
    return rewriteTokens(code, ({ kind, text }) => (kind === "name" ? choose(text, present) : null), tokens);
  },
};

export default otherEstimator;

/** The next class of the family that the cell does not use yet, or simply the next if it uses all. */
function choose(name: string, present: ReadonlySet<string>): string | null {
  const family = FAMILIES.find((names) => names.includes(name));
  if (family === undefined) return null;
  const at = family.indexOf(name);
  const others = [...family.slice(at + 1), ...family.slice(0, at)];
  return others.find((other) => !present.has(other)) ?? others[0]!;
}
