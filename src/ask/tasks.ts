import type { Config } from "../config.js";
import type { Labeller } from "../label/labeller.js";
import type { CallThread } from "../threads/pool.js";
import type { Handlers } from "../threads/protocol.js";
import type { LabelAnswer } from "./answers.js";
import { type InspectedFile, inspectUpload, type UploadedFile } from "./inspect-upload.js";
import { answerLabels } from "./label-cells.js";
import { parseInput } from "./parse-input.js";
import { parseJson } from "./parse-json.js";
import { labelRequest } from "./requests.js";

/** Runs one of the tasks below, on another thread where there is one. */
export type RunOnWorker = CallThread<AskTasks>;

/** The parts of a request that are run on another thread if they are large, so that nobody waits for them. */
export function createAskTasks({
  labeller,
  config,
}: {
  readonly labeller: Labeller;
  readonly config: Pick<Config, "secrets">;
}) {
  return {
    inspect: (file: UploadedFile): InspectedFile => inspectUpload(file, config.secrets),
    /** The bytes of a whole request. */
    label: (bytes: Uint8Array): Promise<LabelAnswer> =>
      answerLabels(labeller, parseInput(labelRequest, parseJson(bytes))),
  } satisfies Handlers;
}

export type AskTasks = ReturnType<typeof createAskTasks>;

/** Runs the tasks on this thread. */
export function runInline(tasks: AskTasks): RunOnWorker {
  return async (name, input) => (await tasks[name](input as never)) as never;
}
