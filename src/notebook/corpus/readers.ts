import { createHash } from "node:crypto";
import { basename, dirname } from "node:path";
import { countZip, readTar, readZip } from "./archives.js";
import { type OnSkipped, TAR, ZIP } from "./candidates.js";
import type { CorpusItem } from "./entry.js";
import { countFolder, describeAlone, walkFolder } from "./folder.js";
import { countGit, readGit } from "./git.js";
import { readJsonLinesCorpus } from "./jsonl.js";

/** A path given by the user. */
export interface Root {
  readonly real: string;
  /** The kind of the entry if it is neither a regular file nor a folder. */
  readonly kind: "folder" | "file" | { readonly other: string };
  /** Real paths given before this one. */
  readonly except: ReadonlySet<string>;
  /** The commit of a git repository to read instead of its files. */
  readonly commit?: string;
}

/**
 * Reads the notebooks of a root: a folder, an archive or a file. The first reader in the list that accepts a root is
 * used.
 */
export interface Reader {
  accepts(root: Root): boolean;
  /** Whether a read returns all notebooks of the source, so missing ones may be pruned. */
  readonly isWhole: boolean;
  /** The default source of the notebooks. */
  source(root: Root): string;
  /** Yields the notebooks of the root. `onSkipped` is called for every skipped entry. */
  read(source: string, root: Root, onSkipped: OnSkipped): AsyncIterable<CorpusItem>;
  /** The number of notebooks; null if unknown before reading. */
  count(root: Root): Promise<number | null>;
}

const isFileNamed =
  (pattern: RegExp) =>
  ({ kind, real }: Root) =>
    kind === "file" && pattern.test(real);
const pathOf = ({ real }: Root) => real;
const countUnknown = async () => null;

/** Files that users may pass but that are not notebooks. */
const OTHER_FILES: readonly (readonly [RegExp, string])[] = [
  [/\.(csv|tsv|parquet|feather|xlsx?)$/i, "a table"],
  [/\.(md|markdown|rst|txt|html?|pdf)$/i, "a document"],
  [/\.(rmd|qmd|r|jl|scala|java|js|ts|sql)$/i, "a script in another language or format"],
  [/\.(7z|rar|bz2|xz|zst|gz)$/i, "a compressed file of an unsupported kind"],
  [/\.(png|jpe?g|gif|svg)$/i, "a picture"],
];

export const READERS: readonly Reader[] = [
  {
    accepts: ({ commit }) => commit !== undefined,
    isWhole: true,
    source: pathOf,
    read: (source, { real, commit }) => readGit(source, real, commit!),
    count: ({ real, commit }) => countGit(real, commit!),
  },
  {
    accepts: ({ kind }) => kind === "folder",
    isWhole: true,
    source: pathOf,
    read: (source, { real, except }, onSkipped) => walkFolder({ source, folder: real, except, onSkipped }),
    count: ({ real, except }) => countFolder({ folder: real, except }),
  },
  {
    accepts: isFileNamed(ZIP),
    isWhole: true,
    source: pathOf,
    read: (source, { real }) => rejectRepeatedPaths(readZip(source, real)),
    count: ({ real }) => countZip(real),
  },
  {
    accepts: isFileNamed(TAR),
    isWhole: true,
    source: pathOf,
    read: (source, { real }) => rejectRepeatedPaths(readTar(source, real)),
    count: countUnknown,
  },
  {
    accepts: isFileNamed(/\.(jsonl|ndjson)(\.gz)?$/i),
    isWhole: true,
    source: pathOf,
    read: (source, { real }) => rejectRepeatedPaths(readJsonLinesCorpus(source, real)),
    count: countUnknown,
  },
  {
    accepts: () => true,
    isWhole: false,
    source: ({ real }) => dirname(real),
    read: readFile,
    count: async () => 1,
  },
];

async function* readFile(source: string, { real, kind }: Root): AsyncGenerator<CorpusItem> {
  const path = basename(real);
  const [, what] = OTHER_FILES.find(([pattern]) => pattern.test(path)) ?? [];
  if (typeof kind === "object")
    yield { source, path, rejected: { kind: "unreadable", reason: `${kind.other}, not a file` } };
  else if (what !== undefined)
    yield { source, path, rejected: { kind: "not-a-notebook", reason: `${what}, not a notebook` } };
  else yield await describeAlone(source, path, real, true);
}

/** Number of bytes kept of a path's hash: enough to distinguish millions of paths, in little memory. */
const HASH_BYTES = 16;
const REPEATED_PATH = {
  kind: "unreadable",
  reason: "an earlier entry has the same path; only the first is used",
} as const;

/**
 * Several notebooks of an archive may have the same path. Keeps the first and rejects the others, because each would
 * replace the one before in every run.
 */
async function* rejectRepeatedPaths(found: AsyncIterable<CorpusItem>): AsyncGenerator<CorpusItem> {
  const seen = new Set<string>();
  for await (const each of found) {
    const key = createHash("sha256").update(each.path).digest().toString("latin1", 0, HASH_BYTES);
    if ("rejected" in each) yield each;
    else if (seen.has(key)) yield { source: each.source, path: each.path, rejected: REPEATED_PATH };
    else {
      seen.add(key);
      yield each;
    }
  }
}
