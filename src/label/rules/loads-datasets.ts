import { type Rule, words } from "../rule.js";

export const loadsDatasets: Rule = {
  name: "loads-datasets",
  label: "ingest_data",
  description: "Loads a data set that a library ships or downloads.",
  strength: 0.85,
  any: {
    calls: words(`
      load_data load_dataset load_iris load_boston load_digits load_wine load_breast_cancer load_diabetes fetch_openml
      fetch_california_housing fetch_20newsgroups fetch_mldata get_data_home make_classification make_blobs make_moons
      make_regression download_url download_images query_to_pandas query_to_pandas_safe untar_data load_files
      DataReader get_training_data load_linnerud fetch_lfw_people fetch_covtype fetch_olivetti_faces make_circles
      make_swiss_roll get_dataset fetch_data download_data get_data_yahoo to_dataframe
    `),
  },
};
