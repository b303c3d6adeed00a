import { type Rule, words } from "./rule.js";
import { assignsWord, showsWord } from "./statements.js";

/** Statements whose value the notebook displays when they come last. */
const DISPLAYED_KINDS: ReadonlySet<string> = new Set(["name", "attribute", "subscript", "expression"]);

/** Attributes and methods that describe a table. */
const INSPECTIONS = new Set(
  words(`
    head tail info describe value_counts nunique unique sample isnull isna notnull duplicated memory_usage skew kurt
    kurtosis corr crosstab keys most_common size count summary quantile idxmax idxmin nlargest nsmallest mode shape
    dtypes columns dtype ndim index values iloc loc
  `),
);

/** Methods and functions that return changed data. */
const TRANSFORMS = new Set(
  words(`
    merge concat join append drop dropna fillna drop_duplicates replace rename astype apply applymap map groupby pivot
    pivot_table melt stack unstack reset_index set_index sort_values sort_index assign query reindex transpose
    resample rolling shift diff cumsum explode interpolate where mask clip cut qcut agg aggregate transform
    to_datetime to_numeric to_frame get_dummies isin between select_dtypes bfill ffill combine_first split
    fit_transform inverse_transform reshape resize array asarray concatenate hstack vstack DataFrame Series log1p log
    expm1 sqrt argmax flatten ravel expand_dims cvtColor strip lower upper
  `),
);

/** Prefixes of words for drawing in several languages, and the suffix of `twoplot` and `boxplots`. */
const PLOT_STEM = /^(?:plot|graf|graph|visuali|histog|dibuj|desenh|dessin|zeichn)|plots?$/;

/**
 * The rules that are features of the shipped model, in the order of `LABELS`. Adding a rule is adding a row to
 * `NEWER_RULES` and a case to its test; the next training moves the row here.
 */
export const RULES: readonly Rule[] = [
  {
    name: "imports-modules",
    label: "setup_notebook",
    description: "Imports a module.",
    strength: 0.97,
    when: ({ statements }) => statements.some(({ kind }) => kind === "import"),
  },
  {
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
  },
  {
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
  },
  {
    name: "runs-magics",
    label: "setup_notebook",
    description: "Runs a magic of the notebook.",
    strength: 0.8,
    when: ({ magics }) => [...magics].some((magic) => magic.startsWith("%")),
  },
  {
    name: "sets-constants",
    label: "setup_notebook",
    description: "Defines parameters: only assigns constants to names.",
    strength: 0.6,
    when: ({ statements }) => statements.length > 0 && statements.every(({ kind }) => kind === "assign-constant"),
  },
  {
    name: "fixes-seeds",
    label: "setup_notebook",
    description: "Makes random numbers repeatable.",
    strength: 0.35,
    any: {
      methods: ["seed", "manual_seed", "set_seed", "set_random_seed", "manual_seed_all"],
      calls: ["seed_everything", "set_seed", "random_seed"],
    },
  },
  {
    name: "reads-tables",
    label: "ingest_data",
    description: "Reads a table from a file or a database.",
    strength: 0.97,
    any: {
      calls: words(`
        read_csv read_table read_excel read_json read_parquet read_pickle read_hdf read_sql read_sql_query read_feather
        read_html read_fwf read_stata read_sas read_gbq read_file read_orc read_xml loadtxt genfromtxt read_spss
        read_clipboard read_rds read_pandas open_dataset load_workbook fromfile loadmat from_csv DictReader scan_csv
      `),
    },
  },
  {
    name: "reads-files",
    label: "ingest_data",
    description: "Opens files, images, sounds or pages to read them.",
    strength: 0.75,
    any: {
      methods: words(`
        imread open load_img read_image decode_jpeg read_file dcmread readlines loads load urlopen urlretrieve from_df
        from_folder flow_from_directory flow_from_dataframe ImageFolder from_tensor_slices image_dataset_from_directory
        list_rows load_weights read
      `),
      calls: words(`
        imread load_img urlopen urlretrieve loadmat image_folder read_dicom dcmread ZipFile image_data_bunch open_image
        load_model load_image_file VideoCapture imread_collection load_json load_pickle load_npz read_wav
      `),
      builtins: ["open"],
    },
    unless: {
      methods: ["savefig", "dump"],
      strings: ["w", "wb", "a"],
    },
  },
  {
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
  },
  {
    name: "prints",
    label: "validate_data",
    description: "Prints something.",
    strength: 0.8,
    any: {
      builtins: ["print"],
      methods: ["pprint"],
      calls: ["pprint"],
    },
  },
  {
    name: "shows-value",
    label: "validate_data",
    description: "Ends with a value that the notebook will show.",
    strength: 0.9,
    when: ({ statements }) => {
      const last = statements.at(-1);
      return last !== undefined && last.indent === 0 && DISPLAYED_KINDS.has(last.kind);
    },
  },
  {
    name: "inspects-tables",
    label: "validate_data",
    description: "Looks at a table: first rows, types, missing values, counts.",
    strength: 0.6,
    any: {
      methods: words(`
        head tail info describe value_counts nunique sample isnull isna notnull duplicated memory_usage skew kurt
        kurtosis corr crosstab glimpse keys most_common is_unique infer_objects get_shape size count summary
        ProfileReport profile_report list_tables table_schema estimate_query_size idxmax idxmin quantile
      `),
      attributes: ["shape", "dtypes", "columns", "dtype", "ndim"],
      calls: ["missing_values", "profile_report", "check_null", "missing_data", "type_of_target", "check_missing"],
    },
  },
  {
    name: "shows-tables",
    label: "validate_data",
    description: "Displays an inspection of a table. It does not count if it is assigned or passed on.",
    strength: 0.85,
    when: (facts) => showsWord(facts, INSPECTIONS),
  },
  {
    name: "lists-files",
    label: "validate_data",
    description: "Lists files, or shows facts about the machine.",
    strength: 0.8,
    any: {
      methods: ["listdir", "walk", "glob", "getcwd", "ls", "check_output", "cpu_count"],
      magics: words(`
        !ls %ls !cat !head !nvidia-smi !pwd !free !df !du %%time %timeit %%timeit %who ?
      `),
    },
  },
  {
    name: "asks-sizes",
    label: "validate_data",
    description: "Shows the size or the type of a value.",
    strength: 0.35,
    any: {
      builtins: ["len", "type", "isinstance", "dir", "help", "id"],
    },
  },
  {
    name: "assigns-columns",
    label: "process_data",
    description: "Writes into a column, an element or an attribute.",
    strength: 0.6,
    when: ({ statements }) => statements.some(({ kind }) => kind === "assign-subscript" || kind === "assign-attribute"),
  },
  {
    name: "reshapes-tables",
    label: "process_data",
    description: "Filters, joins, groups or reshapes tables.",
    strength: 0.8,
    any: {
      methods: words(`
        merge concat join append drop dropna fillna drop_duplicates replace rename astype apply applymap map groupby
        pivot pivot_table melt stack unstack reset_index set_index sort_values sort_index assign query reindex
        transpose resample rolling shift diff cumsum explode interpolate where mask clip cut qcut agg aggregate
        transform to_datetime to_numeric to_frame insert pop get_dummies isin between select_dtypes reindex_like
        bfill ffill update combine_first nlargest split
      `),
    },
  },
  {
    name: "keeps-reshaped",
    label: "process_data",
    description: "Assigns the result of a transformation, not of a call that takes this result as an argument.",
    strength: 0.7,
    when: (facts) => assignsWord(facts, TRANSFORMS),
  },
  {
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
  },
  {
    name: "cleans-text",
    label: "process_data",
    description: "Cleans or tokenises text.",
    strength: 0.85,
    any: {
      calls: words(`
        word_tokenize sent_tokenize fit_on_texts texts_to_sequences pad_sequences stem lemmatize stopwords strip_tags
        remove_punctuation clean_text WordNetLemmatizer PorterStemmer encode_plus batch_encode_plus tokenize
        RegexpTokenizer TweetTokenizer SnowballStemmer LancasterStemmer remove_stopwords pos_tag ngrams doc2bow demojize
        decontracted clean_tweet lemmatization
      `),
      methods: words(`
        sub findall lower upper strip translate maketrans zfill strptime strftime
      `),
    },
  },
  {
    name: "prepares-images",
    label: "process_data",
    description: "Resizes or augments images, or builds batches from data.",
    strength: 0.75,
    any: {
      calls: words(`
        ImageDataGenerator resize cvtColor img_to_array Compose Resize ToTensor RandomCrop RandomHorizontalFlip
        DataLoader TensorDataset data_loader get_transforms expand_dims grayscale random_flip RandomRotation
        RandomResizedCrop CenterCrop RandomVerticalFlip ColorJitter GaussianBlur adaptiveThreshold equalizeHist
        image_to_array preprocess_input warpAffine
      `),
      methods: words(`
        resize normalize cvtColor crop shuffle reshape batch prefetch label_from_folder databunch add_test to_tensor
        astype
      `),
    },
  },
  {
    name: "builds-arrays",
    label: "process_data",
    description: "Builds or joins arrays, lists and tables.",
    strength: 0.5,
    any: {
      methods: words(`
        array zeros ones hstack vstack column_stack concatenate reshape log1p log expm1 sqrt DataFrame Series extend
        copy tolist ravel flatten from_dict to_dict arange asarray delete where stack argsort fillna cumsum
      `),
    },
  },
  {
    name: "computes-only",
    label: "process_data",
    description: "Assigns values, and calls nothing that is typical of another task.",
    strength: 0.45,
    when: ({ statements }) => {
      const last = statements.at(-1);
      return last !== undefined && (last.kind.startsWith("assign") || last.kind === "augment" || last.kind === "del");
    },
  },
  {
    name: "draws-plots",
    label: "visualize_data",
    description: "Draws with a plotting library.",
    strength: 0.95,
    any: {
      methods: words(`
        plot show scatter hist bar barh boxplot violinplot distplot countplot barplot heatmap pairplot jointplot
        lineplot scatterplot catplot factorplot lmplot regplot kdeplot swarmplot stripplot boxenplot histplot displot
        relplot pointplot residplot rugplot clustermap FacetGrid PairGrid pie imshow matshow contourf contour stackplot
        errorbar hexbin iplot pcolormesh plot_surface probplot qqplot radviz scatter_matrix parallel_coordinates
        add_trace Choropleth choropleth Scatter Bar Pie Histogram Heatmap Box Figure Layout plot_top_losses show_batch
        show_results plot_confusion_matrix plot_losses axvline axhline fill_between quiver line area treemap sunburst
        funnel density_heatmap density_contour scatter_3d scatter_mapbox scatter_geo scatter_polar line_polar line_3d
        choropleth_mapbox violin hist2d semilogx semilogy loglog polar streamplot eventplot dendrogram waveplot waveshow
        specshow specgram draw_networkx ecdfplot poof mark_bar mark_line mark_point mark_circle vbar hbar Map Marker
        add_child andrews_curves lag_plot autocorrelation_plot bootstrap_plot summary_plot force_plot dependence_plot
        plot_tree plot_importance bar3d
      `),
      // The plot accessor of pandas, as in `df.plot.area()`.
      attributes: ["plot"],
      calls: words(`
        ggplot iplot heatmap pairplot barplot countplot distplot boxplot scatterplot lineplot catplot imshow WordCloud
        scatter_matrix plot_model export_graphviz create_distplot lmplot kdeplot px_scatter make_subplots CircleMarker
        add_to HeatMap MarkerCluster violinplot stripplot swarmplot histplot displot jointplot relplot pointplot regplot
        clustermap dendrogram treemap sunburst plot_tree plot_importance facet_grid
      `),
      names: words("ConfusionMatrixDisplay RocCurveDisplay PrecisionRecallDisplay DetCurveDisplay CalibrationDisplay"),
    },
  },
  {
    name: "decorates-plots",
    label: "visualize_data",
    description: "Sets up figures, axes, titles and legends.",
    strength: 0.9,
    any: {
      methods: words(`
        figure subplots subplot title xlabel ylabel xticks yticks legend xlim ylim suptitle tight_layout set_title
        set_xlabel set_ylabel set_xticklabels set_yticklabels savefig add_subplot annotate grid axis update_layout
        update_traces colorbar set_xlim set_ylim despine gca gcf add_axes text set_xticks background_gradient set_yticks
        tick_params subplots_adjust set_size_inches clf cla get_xticklabels axhspan axvspan add_patch bar_label
        update_xaxes update_yaxes add_annotation add_shape add_legend set_facecolor set_axis_off invert_yaxis twinx
        twiny xscale yscale set_xscale set_yscale set_axis_labels set_titles color_palette get_cmap gridspec
        subplot2grid
      `),
      keywords: ["figsize", "cmap", "hue", "annot"],
      names: ["plt", "sns", "px", "ggplot"],
    },
  },
  {
    name: "plots-by-name",
    label: "visualize_data",
    description: "Calls a function whose name contains a word for drawing.",
    strength: 0.85,
    any: {
      calls: words(`
        plot draw visualize show_images plotting visualise show_image display_image scatter histogram graph chart
        show_img show_sample show_samples show_examples show_distribution display_images display_img view_image
        view_images view_img show_wordcloud diagram
      `),
    },
    unless: {
      methods: ["plot"],
    },
  },
  {
    name: "plots-by-stem",
    label: "visualize_data",
    description: "Calls a function of the author's whose name begins or ends like a word for drawing.",
    strength: 0.8,
    when: ({ calls }) => {
      for (const call of calls) if (PLOT_STEM.test(call)) return true;
      return false;
    },
  },
  {
    name: "displays",
    label: "visualize_data",
    description: "Displays an object in the notebook's own form: a table, an image, HTML.",
    strength: 0.7,
    any: {
      builtins: ["display"],
      methods: ["display"],
    },
  },
  {
    name: "fits-models",
    label: "train_model",
    description: "Fits a model.",
    strength: 0.93,
    any: {
      methods: words(`
        fit fit_generator train fit_one_cycle partial_fit train_on_batch lr_find fine_tune unfreeze auto_arima
        fit_predict train_epoch train_one_epoch fit_one_epoch fit_flat_cos
      `),
      calls: words(`
        run_experiment train_model fit_model train_and_evaluate train_network train_loop compare_models tune_model
        ensemble_model stack_models
      `),
    },
    unless: {
      calls: words(`
        LabelEncoder StandardScaler MinMaxScaler OneHotEncoder Imputer SimpleImputer Tokenizer TfidfVectorizer
        CountVectorizer RobustScaler LabelBinarizer PCA
      `),
      names: ["norm", "scaler", "encoder"],
    },
  },
  {
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
  },
  {
    name: "builds-networks",
    label: "train_model",
    description: "Builds or compiles a neural network.",
    strength: 0.9,
    any: {
      calls: words(`
        Sequential Dense Conv2D MaxPooling2D LSTM GRU Dropout BatchNormalization Embedding Linear Conv2d ReLU
        CrossEntropyLoss BCEWithLogitsLoss BCELoss MSELoss Adam SGD RMSprop EarlyStopping ReduceLROnPlateau
        ModelCheckpoint StepLR LearningRateScheduler resnet resnet34 resnet50 VGG16 InceptionV3 GlobalAveragePooling2D
        Flatten MaxPool2d KerasClassifier KerasRegressor ConvTranspose2d densenet create_model build_model Conv1D Conv3D
        SeparableConv2D DepthwiseConv2D Conv2DTranspose MaxPooling1D AveragePooling2D GlobalMaxPooling2D
        GlobalMaxPooling1D GlobalAveragePooling1D UpSampling2D Bidirectional SimpleRNN TimeDistributed RepeatVector
        LayerNormalization LayerNorm MultiHeadAttention SpatialDropout1D LeakyReLU PReLU BatchNorm2d BatchNorm1d
        Dropout2d NLLLoss KLDivLoss SmoothL1Loss AdamW Adagrad Adadelta Adamax Nadam CosineAnnealingLR OneCycleLR
        LambdaCallback CSVLogger TensorBoard ResNet50 VGG19 Xception MobileNet MobileNetV2 DenseNet121 EfficientNet
        InceptionResNetV2 AlexNet SqueezeNet TFBertModel BertModel
      `),
      methods: words("compile add_module zero_grad backward load_state_dict state_dict set_weights requires_grad_"),
      attributes: ["Module", "trainable", "requires_grad"],
    },
  },
  {
    name: "sets-hyperparameters",
    label: "train_model",
    description: "Names hyperparameters of a model.",
    strength: 0.6,
    any: {
      keywords: words(`
        epochs n_estimators max_depth learning_rate batch_size optimizer loss callbacks validation_data
        steps_per_epoch param_grid num_leaves num_boost_round early_stopping_rounds objective n_clusters n_neighbors
        C lr max_iter hidden_layer_sizes
      `),
      strings: ["n_estimators", "max_depth", "learning_rate", "num_leaves", "objective", "colsample_bytree"],
    },
  },
  {
    name: "predicts",
    label: "evaluate_model",
    description: "Predicts, scores or evaluates.",
    strength: 0.85,
    any: {
      methods: words(`
        predict predict_proba predict_classes predict_generator evaluate evaluate_generator score forecast get_preds
        decision_function validate bic aic plot_top_losses predict_log_proba staged_predict predict_on_batch
        get_forecast get_prediction cross_validation
      `),
      calls: words(`
        predict prediction predictions make_predictions get_prediction predict_model evaluate get_preds from_learner
        evaluate_model test_model
      `),
    },
  },
  {
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
  },
  {
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
  },
  {
    name: "reads-scores",
    label: "evaluate_model",
    description: "Reads attributes of a fitted model.",
    strength: 0.6,
    any: {
      attributes: ["best_score_", "cv_results_", "inertia_", "oob_score_", "rsquared"],
      methods: ["eval", "no_grad", "get_score"],
    },
  },
  {
    name: "writes-tables",
    label: "transfer_results",
    description: "Writes a table or an array to a file.",
    strength: 0.95,
    any: {
      methods: words(`
        to_csv to_excel to_json to_parquet to_pickle to_hdf to_sql to_feather savetxt savez savez_compressed to_html
        to_gbq to_stata write_html write_csv to_latex to_markdown to_clipboard write_parquet
      `),
      calls: words("to_csv savetxt writerow writerows make_submission create_submission create_download_link FileLink"),
    },
  },
  {
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
  },
  {
    name: "opens-to-write",
    label: "transfer_results",
    description: "Opens a file to write into it.",
    strength: 0.7,
    any: {
      strings: ["w", "wb", "a", "w+"],
    },
    when: ({ builtins }) => builtins.has("open"),
  },
  {
    name: "makes-folders",
    label: "transfer_results",
    description: "Makes, moves or removes files and folders.",
    strength: 0.3,
    any: {
      methods: words(`
        mkdir makedirs rmtree remove rename copy copyfile move unlink
      `),
    },
    when: ({ names, modules, attributes }) =>
      names.has("os") || names.has("shutil") || modules.has("os") || attributes.has("path"),
  },
];

/** Rules that the shipped model was not trained with: applied on top of its answer until the next training. */
export const NEWER_RULES: readonly Rule[] = [];
