import type { Rule } from "../rule.js";
import { asksSizes } from "./asks-sizes.js";
import { assignsColumns } from "./assigns-columns.js";
import { buildsArrays } from "./builds-arrays.js";
import { buildsEstimators } from "./builds-estimators.js";
import { buildsNetworks } from "./builds-networks.js";
import { cleansText } from "./cleans-text.js";
import { computesOnly } from "./computes-only.js";
import { configuresNotebook } from "./configures-notebook.js";
import { decoratesPlots } from "./decorates-plots.js";
import { displays } from "./displays.js";
import { drawsPlots } from "./draws-plots.js";
import { fitsModels } from "./fits-models.js";
import { fixesSeeds } from "./fixes-seeds.js";
import { importsModules } from "./imports-modules.js";
import { inspectsTables } from "./inspects-tables.js";
import { installsPackages } from "./installs-packages.js";
import { keepsReshaped } from "./keeps-reshaped.js";
import { listsFiles } from "./lists-files.js";
import { loadsDatasets } from "./loads-datasets.js";
import { makesFolders } from "./makes-folders.js";
import { measures } from "./measures.js";
import { opensToWrite } from "./opens-to-write.js";
import { plotsByName } from "./plots-by-name.js";
import { plotsByStem } from "./plots-by-stem.js";
import { plotsMetrics } from "./plots-metrics.js";
import { predicts } from "./predicts.js";
import { preparesFeatures } from "./prepares-features.js";
import { preparesImages } from "./prepares-images.js";
import { prints } from "./prints.js";
import { readsFiles } from "./reads-files.js";
import { readsScores } from "./reads-scores.js";
import { readsTables } from "./reads-tables.js";
import { reshapesTables } from "./reshapes-tables.js";
import { runsMagics } from "./runs-magics.js";
import { savesModels } from "./saves-models.js";
import { setsConstants } from "./sets-constants.js";
import { setsHyperparameters } from "./sets-hyperparameters.js";
import { showsTables } from "./shows-tables.js";
import { showsValue } from "./shows-value.js";
import { writesTables } from "./writes-tables.js";

/** The rules that are features of the shipped model, by the label they speak for. The order is that of a notebook's life, as in `labels.ts`. */
export const RULES: readonly Rule[] = [
  importsModules,
  installsPackages,
  configuresNotebook,
  runsMagics,
  setsConstants,
  fixesSeeds,
  readsTables,
  readsFiles,
  loadsDatasets,
  prints,
  showsValue,
  inspectsTables,
  showsTables,
  listsFiles,
  asksSizes,
  assignsColumns,
  reshapesTables,
  keepsReshaped,
  preparesFeatures,
  cleansText,
  preparesImages,
  buildsArrays,
  computesOnly,
  drawsPlots,
  decoratesPlots,
  plotsByName,
  plotsByStem,
  displays,
  fitsModels,
  buildsEstimators,
  buildsNetworks,
  setsHyperparameters,
  predicts,
  measures,
  plotsMetrics,
  readsScores,
  writesTables,
  savesModels,
  opensToWrite,
  makesFolders,
];

/** Rules that the shipped model was not trained with: they speak on top of it. The next training makes them features, and the list empty. */
export const NEWER_RULES: readonly Rule[] = [];
