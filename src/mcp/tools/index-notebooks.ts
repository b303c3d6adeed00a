import type { UploadedFile } from "../../ask/inspect-upload.js";
import { LIMITS } from "../../ask/limits.js";
import { anyText, fields, list, nameText } from "../../ask/parse-input.js";
import { notebookName } from "../../ask/requests.js";
import { RecommenderError } from "../../errors.js";
import { formatOf } from "../../notebook/formats.js";
import type { Backend, IndexOutcome } from "../backend.js";
import { checkCorpusPaths } from "../given-notebook.js";
import { DATA_NOTICE, fenceCode, quoteName, showUnseen } from "../show-cells.js";
import { defineTool, type Tool } from "../tool.js";

const MAX_REASONS = 20;

const paths = list(nameText(4_096), 1_000, "paths").describe("Folders or files.");
const notebooks = list(
  fields({ name: notebookName.describe(""), content: anyText().describe("") }),
  LIMITS.files,
  "notebooks",
).describe("The contents of .ipynb or .py files.");

/** With `hasFiles`, notebooks may be given by their paths; otherwise their content is sent. */
export function indexNotebooks(hasFiles: boolean): Tool {
  const given = hasFiles ? { paths: paths.optional(), notebooks: notebooks.optional() } : { notebooks };
  return defineTool({
    name: "index_notebooks",
    description: `Adds or updates notebooks${hasFiles ? " by `paths`" : ""}. Ask the user first, unless they named them; then search_cells.`,
    scope: "write",
    input: fields({ ...given, source: notebookName.optional().describe("") }),
    ...(!hasFiles && {
      refused: { paths: "This server cannot read your files: send `notebooks`, each with `name` and `content`." },
    }),
    async answer({ source, ...input }, { backend, signal, onProgress }) {
      const { paths: named, notebooks: sent } = input as { paths?: string[]; notebooks?: SentNotebook[] };
      if ((named === undefined) === (sent === undefined))
        throw new RecommenderError("INPUT_INVALID", `Give exactly one of ${Object.keys(given).join(", ")}.`);
      checkCorpusPaths(named ?? []);
      const outcome =
        sent === undefined
          ? await backend.indexPaths!(named!, { source, signal, onProgress })
          : await upload(backend, sent, source, signal);
      return describe(outcome);
    },
  });
}

interface SentNotebook {
  readonly name: string;
  readonly content: string;
}

async function upload(
  backend: Backend,
  sent: readonly SentNotebook[],
  source: string | undefined,
  signal: AbortSignal,
): Promise<IndexOutcome> {
  const files = sent.map(
    ({ name, content }): UploadedFile => ({
      ...(source !== undefined && { source }),
      name,
      format: formatOf(name),
      bytes: Buffer.from(content),
    }),
  );
  const { changed, answer } = await backend.upload(files, signal);
  const sum = (pick: (each: (typeof answer.notebooks)[number]) => number) =>
    answer.notebooks.reduce((total, each) => total + pick(each), 0);
  return {
    notebooks: answer.notebooks.length,
    ...(!changed && { unchanged: answer.notebooks.length }),
    replaced: sum(({ replaced }) => Number(replaced)),
    cells: sum(({ cells }) => cells),
    new: sum((each) => each.new),
    duplicate: sum(({ duplicate }) => duplicate),
    skipped: sum(({ skipped }) => skipped),
    rejected: answer.rejected.length,
    reasons: answer.rejected,
  };
}

function describe(outcome: IndexOutcome): string {
  const { notebooks: indexed, unchanged, replaced, cells, duplicate, skipped, rejected } = outcome;
  const reasons = outcome.reasons.slice(0, MAX_REASONS);
  const lines = [
    ...reasons.map(({ name, reason }) => `${quoteName(name)}: ${showUnseen(reason)}`),
    ...(rejected > reasons.length ? [`and ${rejected - reasons.length} more`] : []),
  ];
  return [
    `${indexed} notebooks indexed (${unchanged === undefined ? "" : `${unchanged} unchanged, `}${replaced} replaced), ${cells} cells: ${outcome.new} new, ${duplicate} duplicate, ${skipped} skipped.`,
    ...(rejected === 0
      ? []
      : [
          `${rejected} ${rejected === 1 ? "file" : "files"} rejected. ${DATA_NOTICE}`,
          fenceCode(lines.join("\n"), "text"),
        ]),
  ].join("\n");
}
