import { RecommenderError } from "../../errors.js";
import type { Backend, IndexOptions, IndexOutcome } from "../../mcp/backend.js";
import type { Entry } from "../../notebook/corpus/entry.js";
import { openPaths } from "../../notebook/corpus/open-paths.js";
import { readRegularFile } from "../../notebook/file-system.js";
import { type Format, parseBytes } from "../../notebook/formats.js";
import type { Rejection } from "../../notebook/notebook.js";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Sends the notebooks at and below the paths to a service, one after another. */
export async function uploadPaths(
  upload: Backend["upload"],
  paths: readonly string[],
  { source, signal, onProgress }: IndexOptions,
): Promise<IndexOutcome> {
  const { corpus, count } = await openPaths(paths, source === undefined ? {} : { source });
  const expected = await count();
  const totals = { notebooks: 0, replaced: 0, cells: 0, new: 0, duplicate: 0, skipped: 0 };
  const reasons: Mutable<IndexOutcome["reasons"][number]>[] = [];
  let files = 0;
  for await (const found of corpus) {
    signal.throwIfAborted();
    files += 1;
    const content = "rejected" in found ? found : await readEntry(found);
    if ("bytes" in content) {
      const { answer } = await upload([{ source: found.source, name: found.path, ...content }], signal);
      reasons.push(...answer.rejected);
      for (const { replaced, ...report } of answer.notebooks) {
        totals.notebooks += 1;
        totals.replaced += Number(replaced);
        for (const key of ["cells", "new", "duplicate", "skipped"] as const) totals[key] += report[key];
      }
    } else if (isNews(found, content.rejected.kind))
      reasons.push({ name: found.path, reason: content.rejected.reason });
    onProgress(files, expected);
  }
  if (files === 0) throw new RecommenderError("NOT_FOUND", `There is no notebook in ${paths.join(", ")}.`);
  return { ...totals, rejected: reasons.length, reasons };
}

type Read = { readonly format: Format; readonly bytes: Uint8Array } | { readonly rejected: Rejection };

async function readEntry(entry: Entry): Promise<Read> {
  const content = await entry.read();
  if ("rejected" in content) return content;
  const read = "file" in content ? readRegularFile(content.file) : content;
  if ("rejected" in read) return read;
  const parsed = parseBytes(content.format, read.bytes);
  return "rejected" in parsed ? parsed : { format: content.format, bytes: read.bytes };
}

/** A plain script that nobody named is passed over without a word. */
function isNews(found: object, kind: string): boolean {
  return kind !== "plain-script" || ("named" in found && found.named === true);
}
