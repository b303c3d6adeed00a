import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { compose, type Services } from "../../../compose.js";
import { JOURNAL_FORMAT, type Journal, openJournal } from "../../../evaluate/journal.js";
import type { Manifest } from "../../../evaluate/results/common.js";
import type { Target } from "../../../evaluate/target.js";
import { createTarget } from "../../../evaluate/targets/index.js";
import { createOwnTarget } from "../../../evaluate/targets/own.js";
import { defaultDiversity, presetDefaults } from "../../../recommend/preset.js";
import type { Context } from "../../context.js";
import { createProgress, type Progress } from "../../progress.js";
import { packageVersion } from "../../version.js";
import type { SuiteOptions } from "./options.js";

/** What a run needs beside its questions: an index of its own, a target, a journal. */
export interface Workbench<T> {
  readonly services: Services;
  readonly target: Target;
  readonly journal: Journal<T>;
  readonly manifest: Manifest;
  readonly onProgress: (stage: "cells" | "queries", done: number, total: number) => void;
  close(): Promise<void>;
}

/** `inputs` are hashes of what is asked and what is indexed; with the settings they name the run, so that it can be resumed. */
export async function openWorkbench<T>(
  { config, output, env }: Context,
  suite: string,
  options: SuiteOptions & { readonly settings: Readonly<Record<string, string | number | boolean | null>> },
  inputs: Readonly<Record<string, string>>,
): Promise<Workbench<T>> {
  const { target: targetName = "", filter, k } = options;
  const key = hash({
    suite,
    version: packageVersion(),
    format: JOURNAL_FORMAT,
    targetName,
    targetFile: existsSync(targetName) ? readFileSync(targetName, "utf8") : "",
    filter: filter ?? "",
    mode: options.mode ?? "",
    diversity: options.diversity ?? "",
    oneStage: options.oneStage === true,
    k,
    config,
    inputs,
    ...options.settings,
  });
  const journal = openJournal<T>(config.data, key);
  if (journal.entries.length > 0)
    output.note(`Going on with an interrupted run: ${journal.entries.length} questions are answered.`);
  const own = { ...config, data: join(journal.folder, "index"), milvusPrefix: `celrec_eval_${key}` };
  const services = await compose(own, { activity: `celrec eval ${suite}`, hold: "session" }, options.oneStage ? 1 : 2);
  const defaults = presetDefaults(config.preset);
  const mode = options.mode ?? (suite === "typing" ? "complete" : "similar");
  // Mutants are copies of one another: to collapse or to spread them would hide right answers. People who type want no copies.
  const collapse = suite === "typing" && defaults.collapse;
  const diversity = options.diversity ?? (suite === "typing" ? defaultDiversity(mode) : 0);
  const request = { filter: filter ?? defaults.filter, mode, collapse, diversity };
  const identity = {
    embedder: services.embedder.id,
    labeller: services.labeller.id,
    store: config.store,
    stages: options.oneStage || config.preset === "paper" ? 1 : 2,
  };
  const target = await createTarget(targetName, {
    own: () => createOwnTarget({ ...services, request, settings: { ...identity, ...request }, close: async () => {} }),
    ...(options.targetToken !== undefined && { token: options.targetToken }),
    reset: options.resetTarget === true,
    timeoutMs: options.targetTimeout * 1000,
    request,
    env,
    onFault: (message) => output.note(`The target failed: ${message}`),
  });
  const bars = createBars();
  return {
    services,
    target,
    journal,
    manifest: {
      versions: { celrec: packageVersion(), node: process.version },
      settings: { ...options.settings, ...target.settings, k },
      inputs: { ...inputs },
    },
    onProgress: bars.update,
    async close() {
      bars.end();
      await target.close();
      if (config.store === "milvus" && targetName === "") await services.store.destroy();
      await services.close();
      // An interrupted run keeps its journal and its index.
      if (!journal.isOpen()) rmSync(journal.folder, { recursive: true, force: true });
    },
  };
}

function createBars() {
  let bar: { stage: string; progress: Progress } | null = null;
  return {
    update(stage: "cells" | "queries", done: number, total: number) {
      if (bar?.stage !== stage) {
        bar?.progress.end();
        bar = { stage, progress: createProgress(stage === "cells" ? "notebooks indexed" : "queries", total) };
      }
      bar.progress.update(done);
    },
    end: () => bar?.progress.end(),
  };
}

export function hash(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}
