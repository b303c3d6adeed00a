import { readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { compose } from "../../../app/compose.js";
import { packageVersion } from "../../../config.js";
import { hashOf } from "../../../evaluate/runner/inputs.js";
import { JOURNAL_FORMAT, journalFolder, openJournal } from "../../../evaluate/runner/journal.js";
import type { AskingBench, Prepared, RequestDefaults } from "../../../evaluate/suite.js";
import { createTarget } from "../../../evaluate/targets/index.js";
import { createOwnTarget } from "../../../evaluate/targets/own.js";
import { presetDefaults } from "../../../recommend/request.js";
import type { Context } from "../../context.js";
import type { AskingOptions } from "./options.js";

/** The dependencies of a run: an index of its own, a target, a journal. */
export interface Workbench extends Pick<AskingBench, "target" | "embedder" | "journal" | "k" | "jobs"> {
  /** The settings in effect. */
  readonly settings: Record<string, string | number | boolean | null>;
  close(): Promise<void>;
}

export async function openWorkbench(
  { config, output, env }: Context,
  { name: suite, asks }: { readonly name: string; readonly asks: RequestDefaults },
  options: AskingOptions,
  { inputs, settings: own }: Prepared,
): Promise<Workbench> {
  const { target: targetName = "", filter, mode, diversity, k } = options;
  const request = {
    ...asks,
    ...(filter !== undefined && { filter }),
    ...(mode !== undefined && { mode }),
    ...(diversity !== undefined && { diversity }),
  };
  const key = hashOf({
    suite,
    version: packageVersion(),
    format: JOURNAL_FORMAT,
    targetName,
    targetFile: hashTarget(targetName),
    request,
    oneStage: options.oneStage === true,
    k,
    config,
    inputs,
    ...own,
  });
  if (options.fresh) rmSync(journalFolder(config.data, key), { recursive: true, force: true });
  const journal = openJournal<unknown>(config.data, key);
  if (journal.entries.length > 0)
    output.note(
      `Resuming an interrupted run: ${journal.entries.length} questions are answered. --fresh asks them again.`,
    );
  const index = { ...config, data: join(journal.folder, "index"), milvusPrefix: `celrec_eval_${key}` };
  const services = await compose(
    index,
    { activity: `celrec eval ${suite}`, hold: "session" },
    options.oneStage ? 1 : 2,
  );
  const identity = {
    embedder: services.embedder.id,
    labeller: services.labeller.id,
    store: config.store,
    stages: options.oneStage || config.preset === "paper" ? 1 : 2,
  };
  const settings = { ...identity, ...presetDefaults(config.preset), ...request };
  const target = await createTarget(targetName, {
    own: () => createOwnTarget({ ...services, request, settings }),
    ...(options.targetToken !== undefined && { token: options.targetToken }),
    reset: options.resetTarget === true,
    timeoutMs: options.targetTimeout * 1000,
    request,
    env,
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

/** Larger files are models and data, which do not change between two tries. */
const MAX_BYTES = 2 ** 20;

/** A file that describes a target, with the programs that it names: another program gives other answers. */
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
