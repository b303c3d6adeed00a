import type { Config } from "../config.js";
import type { Labeller } from "../label/labeller.js";
import { type InspectedFile, inspectUpload, type UploadedFile } from "./inspect-upload.js";
import { answerLabels, type LabelAnswer } from "./label-cells.js";
import { parseInput } from "./parse-input.js";
import { parseJson } from "./parse-json.js";
import { labelRequest } from "./requests.js";

/** Runs one of the tasks below on another thread. */
export type Away = <T>(
  task: keyof ReturnType<typeof createAskTasks>,
  input: unknown,
  signal?: AbortSignal,
) => Promise<T>;

/** What of a request is done by other threads where it is large, so that nobody waits for it. */
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
  };
}

/** The same on the thread that asks. */
export function runHere(tasks: ReturnType<typeof createAskTasks>): Away {
  return async <T>(task: keyof typeof tasks, input: unknown) => (await tasks[task](input as never)) as T;
}
