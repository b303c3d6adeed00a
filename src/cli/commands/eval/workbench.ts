import { readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { compose } from "../../../app/compose.js";
import { packageVersion } from "../../../config.js";
import { RecommenderError } from "../../../errors.js";
import { JOURNAL_FORMAT, journalFolder, openJournal } from "../../../evaluate/runner/answer-journal.js";
import { hashOf } from "../../../evaluate/runner/inputs.js";
import type { AskingBench, Prepared, RequestDefaults } from "../../../evaluate/suite.js";
import { RECOMMENDER } from "../../../evaluate/target.js";
import { createTarget, isModelTarget } from "../../../evaluate/targets/index.js";
import { readPrompt } from "../../../evaluate/targets/model/prompts.js";
import { createOwnTarget } from "../../../evaluate/targets/own.js";
import { presetDefaults } from "../../../recommend/request.js";
import type { Context } from "../../context.js";
import type { AskingOptions, SettledOptions } from "./options.js";

/** The dependencies of a run: an index of its own, a target, a journal. */
interface Workbench extends Pick<AskingBench, "target" | "embedder" | "journal" | "k" | "jobs"> {
  /** The settings in effect. */
  readonly settings: Record<string, string | number | boolean | null>;
  close(): Promise<void>;
}

/** A suite that asks a recommender, as far as a run needs it. */
interface AskingSuite {
  readonly name: string;
  readonly asks: RequestDefaults;
}

export async function openWorkbench(
  context: Context,
  suite: AskingSuite,
  options: SettledOptions,
  { inputs, settings: own }: Prepared,
  onPrompt?: (prompt: string) => void,
): Promise<Workbench> {
  const { config, output } = context;
  const { target: targetName = "", k } = options;
  checkModelFlags(isModelTarget(targetName), options);
  const request = toRequestSettings(suite, options);
  const key = hashRun(context, suite.name, options, { request, inputs, own });
  const journal = openRunJournal(context, options, key);
  const index = { ...config, data: join(journal.folder, "index"), milvusPrefix: `celrec_eval_${key}` };
  const role = { activity: `celrec eval ${suite.name}`, hold: "session" } as const;
  const services = await compose(index, role, options.oneStage ? 1 : 2);
  const identity = {
    embedder: services.embedder.id,
    labeller: services.labeller.id,
    store: config.store,
    stages: options.oneStage || config.preset === "paper" ? 1 : 2,
  };
  const settings = { ...identity, ...presetDefaults(config.preset), ...request };
  const target = await createTarget(targetName, {
    ...targetOptions(context, suite.name, options, onPrompt),
    own: () => createOwnTarget({ ...services, request, settings }),
    request,
    onFault: (message) => output.note(`The target failed: ${message}`),
  });
  return {
    target,
    embedder: services.embedder,
    journal,
    k,
    jobs: options.jobs,
    settings: { ...own, ...target.settings, k },
    async close() {
      await target.close();
      if (config.store === "milvus" && targetName === "") await services.store.destroy();
      await services.close();
      // An interrupted run keeps its journal and its index.
      if (!journal.isOpen()) rmSync(journal.folder, { recursive: true, force: true });
    },
  };
}

function toRequestSettings({ asks }: AskingSuite, { filter, mode, diversity }: SettledOptions) {
  return {
    ...asks,
    ...(filter !== undefined && { filter }),
    ...(mode !== undefined && { mode }),
    ...(diversity !== undefined && { diversity }),
  };
}

/** The key of a run, which changes with everything that affects its answers. */
function hashRun(
  { config }: Context,
  suite: string,
  options: SettledOptions,
  { request, inputs, own }: { readonly request: object; readonly inputs: object; readonly own: object },
): string {
  const { target: targetName = "", k } = options;
  return hashOf({
    suite,
    version: packageVersion(),
    format: JOURNAL_FORMAT,
    targetName,
    targetFile: hashTarget(targetName),
    request,
    oneStage: options.oneStage === true,
    k,
    // The API key does not affect the answers.
    config: { ...config, openaiKey: undefined },
    model: isModelTarget(targetName) ? modelIdentity(options) : undefined,
    inputs,
    ...own,
  });
}

/** Opens the journal of a run; a run with answers of an earlier, interrupted run is reported. */
function openRunJournal({ config, output }: Context, { fresh, target = "" }: SettledOptions, key: string) {
  if (fresh) rmSync(journalFolder(config.data, key), { recursive: true, force: true });
  const opened = openJournal<unknown>(config.data, key);
  // Answers of a language model are in its cache, which also counts them; answers of baselines are in the journal.
  const journal = isModelTarget(target) ? { ...opened, entries: opened.entries.filter(isOfBaseline) } : opened;
  const answered = journal.entries.filter((entry) => !isOfSystem(entry)).length;
  if (answered > 0)
    output.note(`Resuming an interrupted run: ${answered} questions are answered. --fresh asks them again.`);
  return journal;
}

/** The options of a target that come from the command line. */
function targetOptions(
  { config, env, signal }: Context,
  suite: string,
  options: SettledOptions,
  onPrompt?: (prompt: string) => void,
) {
  return {
    ...(options.targetToken !== undefined && { token: options.targetToken }),
    reset: options.resetTarget === true,
    timeoutMs: options.targetTimeout * 1000,
    env,
    withCells: options.withCells,
    model: () => ({
      ...modelOptions(suite, options, config.data),
      ...modelKey(options.targetToken ?? config.openaiKey),
      signal,
      ...(onPrompt && { onPrompt }),
    }),
  };
}

/** Whether a journal entry is an answer of another system than the target, such as a baseline. */
const isOfSystem = (entry: unknown): boolean => (entry as { readonly system?: string }).system !== undefined;

function isOfBaseline(entry: unknown): boolean {
  const { system } = entry as { readonly system?: string };
  return system !== undefined && !system.startsWith(RECOMMENDER);
}

function modelOptions(suite: string, options: AskingOptions, data: string) {
  const { maxTokens, maxContext, modelSettings, priceIn, priceOut } = options;
  return {
    url: options.targetUrl,
    api: options.targetApi,
    prompt: readPrompt(suite, options.prompts),
    outputPrompt: suite === "themisto" ? readPrompt("themisto-output", options.prompts) : undefined,
    cacheFolder: journalFolder(data, "answers"),
    timeoutMs: options.targetTimeout * 1000,
    ...(maxTokens !== undefined && { maxTokens }),
    ...(maxContext !== undefined && { maxContext }),
    ...(modelSettings !== undefined && { settings: modelSettings }),
    ...((priceIn !== undefined || priceOut !== undefined) && { prices: { in: priceIn ?? 0, out: priceOut ?? 0 } }),
  };
}

const modelKey = (key: string | undefined) => (key === undefined ? {} : { key });

/** Settings of a language model that identify a run; prices do not. */
const modelIdentity = ({ targetUrl, targetApi, withCells, maxTokens, maxContext, modelSettings }: AskingOptions) => ({
  ...{ targetUrl, targetApi, withCells, maxTokens, maxContext, modelSettings },
});

/** INPUT_INVALID for flags that only a language model has. */
function checkModelFlags(isModel: boolean, options: AskingOptions): void {
  const modelOption = (["dryRun", "withCells", "prompts"] as const).find((name) => options[name]);
  if (isModel || modelOption === undefined) return;
  const flag = modelOption.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new RecommenderError("INPUT_INVALID", `--${flag} needs a language model: --target openai:MODEL.`);
}

/** Maximum size of a hashed file. Larger files are models and data, which rarely change. */
const MAX_BYTES = 2 ** 20;

/** Hash of a target file and of the programs named in it, because a changed program gives other answers. */
function hashTarget(path: string): string {
  if (!isFile(path)) return "";
  const text = readFileSync(path, "utf8");
  const named = [...new Set(text.match(/[\w./-]+/g) ?? [])].map((word) => join(dirname(path), word));
  return hashOf([text, ...named.filter(isFile).map((file) => readFileSync(file, "utf8"))]);
}

function isFile(path: string): boolean {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts?.isFile() === true && facts.size <= MAX_BYTES;
}
