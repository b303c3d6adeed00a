// Reads corpora for the training scripts: folders of ipynb files and .jsonl(.gz) files of {repo, path, cells}.
import { createHash } from "node:crypto";
import { createReadStream, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";

export interface CorpusCell {
  readonly type: "code" | "markdown";
  readonly source: string;
  /** Place among all cells of the file. */
  readonly index: number;
}

/** `train` is for the embedder, `fit` for the rerank weights and the confidence, `measure` only for figures. */
export type Split = "train" | "fit" | "measure";

export interface CorpusNotebook {
  /** The author: a repository's owner or a user. Notebooks of one author are in the same split. */
  readonly group: string;
  readonly name: string;
  readonly cells: readonly CorpusCell[];
}

/**
 * The split of a group: 68 % train, 17 % fit, 15 % measure. The salt spreads the repositories of our corpus over all
 * three.
 */
export function splitOf(group: string): Split {
  const share = createHash("sha256").update(`146:${group}`).digest().readUInt32BE(0) / 2 ** 32;
  return share < 0.15 ? "measure" : share < 0.32 ? "fit" : "train";
}

/** Every readable Python notebook below the paths, in order of name; others are skipped. */
export async function* readCorpus(paths: readonly string[]): AsyncGenerator<CorpusNotebook> {
  for (const path of paths) {
    if (/\.jsonl(\.gz)?$/.test(path)) yield* readJsonLines(path);
    else yield* readFolder(path);
  }
}

async function* readJsonLines(path: string): AsyncGenerator<CorpusNotebook> {
  const file = createReadStream(path);
  const input = path.endsWith(".gz") ? file.pipe(createGunzip()) : file;
  for await (const line of createInterface({ input })) {
    const { repo, path: name, cells } = JSON.parse(line) as { repo: string; path: string; cells: unknown[] };
    yield { group: repo.split("/")[0]!, name: `${repo}/${name}`, cells: toCells(cells) };
  }
}

function* readFolder(root: string): Generator<CorpusNotebook> {
  const files = statSync(root).isDirectory()
    ? readdirSync(root, { recursive: true, encoding: "utf8" }).map((file) => join(root, file))
    : [root];
  for (const file of files.filter((name) => name.endsWith(".ipynb")).sort()) {
    const cells = parseNotebook(readFileSync(file, "utf8"));
    const name = relative(root, file) || basename(file);
    // The shared notebooks are named `owner+repository/...` and `user_title.ipynb`.
    if (cells !== null) yield { group: name.split(/[+/_]/)[0]!, name, cells };
  }
}

function parseNotebook(text: string): CorpusCell[] | null {
  try {
    const notebook = JSON.parse(text);
    const language = notebook.metadata?.kernelspec?.language ?? notebook.metadata?.language_info?.name ?? "python";
    if (!/^(i?python|sage)/i.test(language)) return null;
    return toCells(notebook.cells ?? notebook.worksheets?.[0]?.cells ?? []);
  } catch {
    return null;
  }
}

function toCells(cells: readonly unknown[]): CorpusCell[] {
  return (cells as Record<string, unknown>[]).flatMap((cell, index) => {
    const type = cell.type ?? cell.cell_type;
    const text = cell.source ?? cell.input ?? "";
    const source = (Array.isArray(text) ? text.join("") : String(text)).replace(/\r\n?/g, "\n");
    return type === "code" || type === "markdown" ? [{ type, source, index } as CorpusCell] : [];
  });
}
