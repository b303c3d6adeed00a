import { RecommenderError } from "../errors.js";
import type { Rejection } from "../notebook/notebook.js";
import { createTurns } from "../threads/turns.js";
import type { UploadAnswer } from "./answers.js";
import type { AskDeps } from "./deps.js";
import { type InspectedFile, inspectUpload, type UploadedFile } from "./inspect-upload.js";
import { INLINE_BYTES } from "./limits.js";
import { toPointer } from "./parse-input.js";

/** Adds files to the index. `changed` is false if the index already contained all of them. */
type Upload = (
  files: readonly UploadedFile[],
  signal?: AbortSignal,
) => Promise<{ readonly changed: boolean; readonly answer: UploadAnswer }>;

/** The reason for rejecting a repeated name, which would otherwise silently replace the first file. */
const SAME_NAME: InspectedFile = {
  rejected: { kind: "unreadable", reason: "the form contains another file with this name" },
};

/** Stores the notebooks and lists the rejected files; an error if all were rejected. */
export function createUpload({
  ingest,
  config,
  runOnWorker,
}: Pick<AskDeps, "ingest" | "config" | "runOnWorker">): Upload {
  const inspect = async (file: UploadedFile, signal?: AbortSignal): Promise<InspectedFile> =>
    file.bytes.length <= INLINE_BYTES.notebook
      ? inspectUpload(file, config.secrets)
      : runOnWorker("inspect", file, { signal });
  return async (sent, signal) => {
    const turn = createTurns();
    const files: (UploadedFile & { inspected: InspectedFile })[] = [];
    const names = new Set<string>();
    for (const file of sent) {
      const inspected = await inspect(file, signal);
      const name = JSON.stringify([file.source, file.name]);
      files.push({ ...file, inspected: "code" in inspected && names.has(name) ? SAME_NAME : inspected });
      if ("code" in inspected) names.add(name);
      await turn();
    }
    const rejected = files.flatMap(({ name, inspected }) =>
      "rejected" in inspected ? [{ name, ...inspected.rejected }] : [],
    );
    if (rejected.length === files.length) throw rejectAll(rejected);
    const accepted = files.flatMap(({ source, name, inspected }) =>
      "code" in inspected ? [{ ...(source !== undefined && { source }), name, code: inspected.code }] : [],
    );
    const secrets = new Map(
      files.flatMap(({ name, inspected }) => ("code" in inspected ? [[name, inspected.secrets] as const] : [])),
    );
    const reports = await ingest(accepted, signal);
    return {
      changed: !reports.every(({ unchanged }) => unchanged),
      answer: {
        notebooks: reports.map(({ unchanged: _, ...report }) => ({
          ...report,
          secrets: secrets.get(report.name) ?? [],
        })),
        rejected: rejected.map(({ name, reason }) => ({ name, reason })),
      },
    };
  };
}

function rejectAll(rejected: readonly (Rejection & { readonly name: string })[]): RecommenderError {
  const detail = rejected.map(({ name, reason }) => `${name}: ${reason}`).join("; ");
  const problems = rejected.map(({ name, reason }) => ({ pointer: toPointer([name]), message: reason }));
  const all = (kind: Rejection["kind"]) => rejected.every((each) => each.kind === kind);
  const code = all("not-json") ? "INPUT_INVALID" : all("holds-secrets") ? "HOLDS_SECRETS" : "NOT_A_NOTEBOOK";
  return new RecommenderError(code, detail, { problems });
}
