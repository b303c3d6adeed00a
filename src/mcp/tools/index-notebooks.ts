import { z } from "zod";
import { anyText, fields, list, nameText } from "../../ask/fields.js";
import type { UploadedFile } from "../../ask/inspect-upload.js";
import { LIMITS } from "../../ask/limits.js";
import { notebookName } from "../../ask/requests.js";
import { RecommenderError } from "../../errors.js";
import { formatOf } from "../../notebook/formats.js";
import type { Backend, IndexOutcome } from "../backend.js";
import { quoteName, showUnseen } from "../show-cells.js";
import { defineTool, type Tool } from "../tool.js";

const MAX_REASONS = 20;
const count = z.int().min(0);

const paths = list(nameText(4_096), 1_000, "paths").describe(
  "Folders, notebooks (.ipynb, .py with cells), .zip, .tar.gz or .jsonl on this machine.",
);
const notebooks = list(
  fields({
    name: notebookName.describe("Its path in the source; .py for a script with cells."),
    content: anyText().describe("The text of the .ipynb or .py file."),
  }),
  LIMITS.files,
  "notebooks",
).describe("Notebooks with their content, for those that are not files.");

/** With `hasFiles`, notebooks may be given by their paths; otherwise their content is sent. */
export function indexNotebooks(hasFiles: boolean): Tool {
  const given = hasFiles ? { paths: paths.optional(), notebooks: notebooks.optional() } : { notebooks };
  return defineTool({
    name: "index_notebooks",
    title: "Index notebooks",
    description: `Adds notebooks to the user's index${hasFiles ? ", by paths" : ""}; indexing them again updates them. Ask the user before indexing anything they did not name.`,
    scope: "write",
    input: fields({
      ...given,
      source: notebookName.optional().describe("A name for the source, instead of its path."),
    }),
    output: z.strictObject({
      notebooks: count,
      unchanged: count.optional().describe("Notebooks that were already indexed."),
      replaced: count,
      cells: count,
      new: count.describe("Cells that were not in the index before."),
      duplicate: count,
      skipped: count.describe("Code cells that are not stored: empty, too long, or without words."),
      rejected: count.describe("Files that are not Python notebooks."),
      reasons: z.array(z.strictObject({ name: z.string(), reason: z.string() })).describe("The first rejected files."),
    }),
    async answer({ source, ...input }, { backend, signal, onProgress }) {
      const { paths: named, notebooks: sent } = input as { paths?: string[]; notebooks?: SentNotebook[] };
      if ((named === undefined) === (sent === undefined))
        throw new RecommenderError("INPUT_INVALID", `Give exactly one of ${Object.keys(given).join(", ")}.`);
      const outcome =
        sent === undefined
          ? await backend.indexPaths!(named!, { source, signal, onProgress })
          : await upload(backend, sent, source, signal);
      const reasons = outcome.reasons
        .slice(0, MAX_REASONS)
        .map(({ name, reason }) => ({ name: showUnseen(name), reason: showUnseen(reason) }));
      return { structured: { ...outcome, reasons }, text: describe({ ...outcome, reasons }) };
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
  const { notebooks: indexed, unchanged, replaced, cells, duplicate, skipped, rejected, reasons } = outcome;
  const lines = [
    `${indexed} notebooks indexed (${unchanged === undefined ? "" : `${unchanged} unchanged, `}${replaced} replaced), ${cells} cells: ${outcome.new} new, ${duplicate} duplicate, ${skipped} skipped.`,
    ...(rejected === 0 ? [] : [`${rejected} files rejected:`]),
    ...reasons.map(({ name, reason }) => `- ${quoteName(name)}: ${reason}`),
    ...(rejected > reasons.length ? [`- and ${rejected - reasons.length} more`] : []),
  ];
  return lines.join("\n");
}
