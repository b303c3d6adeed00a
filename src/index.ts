export { compose, type Services } from "./app/compose.js";
export type { WriterRole } from "./app/parts.js";
export { openEmbedder, openLabeller } from "./app/parts.js";
export type { Complete, CompleteAnswer, CompleteRequest, Completion } from "./complete/completion-request.js";
export { type Config, parseConfig } from "./config.js";
export type { Embedder, EmbedRole } from "./embed/embedder.js";
export { type ErrorCode, RecommenderError } from "./errors.js";
export type { Mutator } from "./evaluate/suite.js";
export { parseResult, type ResultDocument } from "./evaluate/suites/index.js";
export type { Target, TargetAnswer, TargetHit, TargetQuery } from "./evaluate/target.js";
export type { Ingest, IngestReport } from "./ingest/ingest.js";
export type { Labeller, Labelling } from "./label/labeller.js";
export { LABELS } from "./label/labeller.js";
export {
  type AppListener,
  type AppOptions,
  type Celrec,
  type CelrecOptions,
  createApp,
  openCelrec,
} from "./library.js";
export { cellId, extractCells, notebookId } from "./notebook/extract.js";
export type { NamedNotebook, NotebookFile, ParsedNotebook } from "./notebook/notebook.js";
export { parseNotebook } from "./notebook/parse-notebook.js";
export { type CleanCode, strip } from "./python/strip.js";
export { type Token, tokenize } from "./python/tokenize.js";
export type { Recommend, RecommendAnswer, RecommendRequest } from "./recommend/recommend.js";
export type { Hit, StoredCell, VectorStore } from "./store/vector-store.js";
