import { existsSync, statSync } from "node:fs";
import { extname } from "node:path";
import { RecommenderError } from "../../errors.js";
import { type FaultKind, type Target, TargetFault } from "../target.js";
import { BASELINES, createBaseline, parseBaseline } from "./baseline.js";
import { createFileTarget, type FileTargetOptions } from "./file/file-target.js";
import { createModelTarget, type ModelTargetOptions } from "./model/model-target.js";
import { createRestTarget, type RestTargetOptions } from "./rest.js";

export interface TargetDeps extends FileTargetOptions, Omit<RestTargetOptions, "url"> {
  /** Creates the target for this recommender; called only if no other target is named. */
  readonly own: () => Target | Promise<Target>;
  /** Settings of a language model; read only for `openai:MODEL`. */
  readonly model?: () => Omit<ModelTargetOptions, "model" | "retrieval">;
  /** Number of retrieved cells in the prompt of a language model. */
  readonly withCells?: number;
  /** Called for the first failed question of each kind; reports only count them. */
  readonly onFault?: (message: string) => void;
}

const EXTENSIONS = [".yaml", ".yml", ".json"];

/**
 * Creates the target of `--target`: this recommender by default, `baseline:NAME`, `openai:MODEL`, a URL or a file.
 * INPUT_INVALID for anything else.
 */
export async function createTarget(text: string | undefined, deps: TargetDeps): Promise<Target> {
  const target = await choose(text?.trim() ?? "", deps);
  return deps.onFault === undefined ? target : reportFaults(target, deps.onFault);
}

const MODEL = /^openai:(?<model>\S+)$/;

/** Whether `--target` names a language model. */
export const isModelTarget = (text: string): boolean => MODEL.test(text.trim());

function choose(text: string, deps: TargetDeps): Target | Promise<Target> {
  if (text === "") return deps.own();
  const baseline = parseBaseline(text);
  if (baseline !== null) return createBaseline(baseline);
  const { model } = MODEL.exec(text)?.groups ?? {};
  if (model !== undefined && deps.model !== undefined) return createModel(model, deps.model(), deps);
  if (/^https?:\/\//i.test(text)) return createRestTarget({ ...deps, url: text });
  if (isTargetFile(text)) return createFileTarget(text, deps);
  throw new RecommenderError(
    "INPUT_INVALID",
    `There is no target ${text.replace(/\/\/[^/@]*@/, "//***@")}; give ${BASELINES.map((name) => `baseline:${name}`).join(", ")}, ` +
      `openai:MODEL, the http or https URL of a celrec server, or the path of a target file (${EXTENSIONS.join(", ")}).`,
  );
}

async function createModel(
  model: string,
  options: Omit<ModelTargetOptions, "model">,
  { own, withCells = 0 }: TargetDeps,
): Promise<Target> {
  const retrieval = withCells === 0 ? undefined : { target: await own(), cells: withCells };
  return createModelTarget({ ...options, model, ...(retrieval && { retrieval }) });
}

function isTargetFile(path: string): boolean {
  return EXTENSIONS.includes(extname(path).toLowerCase()) && existsSync(path) && statSync(path).isFile();
}

function reportFaults(target: Target, onFault: (message: string) => void): Target {
  const reported = new Set<FaultKind>();
  const tell = (error: unknown): never => {
    if (error instanceof TargetFault && !reported.has(error.kind)) onFault(error.message);
    if (error instanceof TargetFault) reported.add(error.kind);
    throw error;
  };
  const { complete } = target;
  return {
    ...target,
    recommend: (query) => target.recommend(query).catch(tell),
    ...(complete && { complete: (query) => complete(query).catch(tell) }),
  };
}
