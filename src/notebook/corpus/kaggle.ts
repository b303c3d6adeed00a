import { createReadStream, existsSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream";
import csvParser from "csv-parser";
import { RecommenderError } from "../../errors.js";
import { readListedFile } from "../file-system.js";
import { asRecord, asString } from "../json.js";
import type { NotebookFacts } from "../notebook.js";
import type { Corpus, Found } from "./entry.js";

interface MetaKaggleOptions {
  /** A folder with Kernels.csv and KernelVersions.csv, and Users.csv where it is there. */
  readonly folder: string;
  /** Otherwise only the newest version of a kernel that the corpus has. */
  readonly allVersions: boolean;
  /** Called with the number of entries, before the first. */
  readonly onCount?: (entries: number) => void;
}

/** Characters of a table's header that an error message quotes. */
const MAX_SHOWN = 200;
/** Files of Meta Kaggle Code are named by the number of the kernel's version. */
const VERSION = /(?:^|\/)(\d+)\.(?:ipynb|py)$/;

/**
 * Joins the files of Meta Kaggle Code with its tables: title, author, votes, version and address of each kernel. Goes over the
 * names once before it gives the first file, because only then it knows which versions are there.
 */
export async function* joinMetaKaggle(
  open: () => Corpus,
  { folder, allVersions, onCount = () => {} }: MetaKaggleOptions,
): AsyncGenerator<Found> {
  for (const name of ["Kernels.csv", "KernelVersions.csv"]) {
    if (!existsSync(join(folder, name)))
      throw new RecommenderError("NOT_FOUND", `There is no ${name} in ${folder}; download it with Meta Kaggle.`);
  }
  const present = new Set<number>();
  let entries = 0;
  for await (const { path } of open()) {
    entries += 1;
    const version = versionOf(path);
    if (version !== null) present.add(version);
  }
  const { versions, newest } = await readVersions(folder, present);
  if (present.size > 0 && versions.size === 0)
    throw new RecommenderError(
      "INPUT_INVALID",
      `None of the ${present.size} files is in ${join(folder, "KernelVersions.csv")}; is it the table of this corpus?`,
    );
  const kernels = await readKernels(folder, new Set(newest.keys()));
  const users = await readUsers(folder, new Set([...kernels.values()].map(({ user }) => user)));
  onCount(allVersions ? entries : entries - (versions.size - newest.size));
  for await (const found of open()) {
    const version = versions.get(versionOf(found.path) ?? -1);
    if ("rejected" in found || version === undefined) yield found;
    else if (allVersions || newest.get(version.kernel) === versionOf(found.path)) {
      const kernel = kernels.get(version.kernel);
      const author = users.get(kernel?.user ?? "") ?? kernel?.user;
      const facts: NotebookFacts = {
        ...found.facts,
        ...(version.title !== "" && { title: version.title }),
        ...(version.number !== "" && { revision: version.number }),
        ...(kernel !== undefined && { votes: kernel.votes }),
        ...(author && { author }),
        ...(author && kernel?.slug && users.has(kernel.user) && kernelFacts(author, kernel.slug)),
      };
      yield { ...found, facts };
    }
  }
}

type CsvRow = Readonly<Partial<Record<string, string>>>;

interface Version {
  readonly kernel: number;
  readonly title: string;
  readonly number: string;
}

async function readVersions(folder: string, present: ReadonlySet<number>) {
  const versions = new Map<number, Version>();
  const newest = new Map<number, number>();
  for await (const row of readCsv(join(folder, "KernelVersions.csv"), ["Id", "ScriptId"])) {
    const id = Number(row.Id);
    if (!present.has(id)) continue;
    const kernel = Number(row.ScriptId);
    versions.set(id, {
      kernel,
      title: row.Title ?? "",
      number: row.VersionNumber?.replace(/\.0$/, "") ?? "",
    });
    if (id > (newest.get(kernel) ?? -1)) newest.set(kernel, id);
  }
  return { versions, newest };
}

async function readKernels(folder: string, wanted: ReadonlySet<number>) {
  const kernels = new Map<number, { readonly user: string; readonly slug: string; readonly votes: number }>();
  for await (const row of readCsv(join(folder, "Kernels.csv"), ["Id"])) {
    const id = Number(row.Id);
    if (!wanted.has(id)) continue;
    const votes = Number(row.TotalVotes ?? 0);
    kernels.set(id, { user: row.AuthorUserId ?? "", slug: row.CurrentUrlSlug ?? "", votes });
  }
  return kernels;
}

/** The names of the authors; without the table their numbers are used. */
async function readUsers(folder: string, wanted: ReadonlySet<string>): Promise<Map<string, string>> {
  const users = new Map<string, string>();
  const file = join(folder, "Users.csv");
  if (!existsSync(file)) return users;
  for await (const row of readCsv(file)) {
    const id = row.Id ?? "";
    if (wanted.has(id)) users.set(id, row.UserName ?? id);
  }
  return users;
}

function versionOf(path: string): number | null {
  const found = VERSION.exec(path)?.[1];
  return found === undefined ? null : Number(found);
}

/** What is known of the notebook of this name. */
export interface KernelMetadata {
  readonly codeFile: string;
  readonly facts: NotebookFacts;
}

const MAX_METADATA_BYTES = 2 ** 20;

/** What the `kernel-metadata.json` of a folder, as Kaggle's command line writes it, tells of the notebook it names. */
export function readKernelMetadata(file: string): KernelMetadata | null {
  const read = readListedFile(file, MAX_METADATA_BYTES);
  if ("rejected" in read) return null;
  const metadata = parse(read.bytes.toString());
  const codeFile = asString(metadata?.code_file);
  if (metadata === null || codeFile === null) return null;
  const id = asString(metadata.id) ?? asString(metadata.id_no);
  const [author, slug] = id?.split("/") ?? [];
  const title = asString(metadata.title);
  return { codeFile, facts: { ...(title !== null && { title }), ...(slug && author && kernelFacts(author, slug)) } };
}

/** The author and the address of a Kaggle kernel. */
function kernelFacts(author: string, slug: string): NotebookFacts {
  return { author, url: `https://www.kaggle.com/code/${author}/${slug}` };
}

function parse(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return asRecord(JSON.parse(text));
  } catch {
    return null;
  }
}

/** KGTorrent names a notebook by its author and the kernel's name in its address. */
const KGTORRENT_NAME = /(?:^|\/)([A-Za-z0-9-]+)_([^/]+)\.ipynb$/;

/** Adds author and URL, read from the names of KGTorrent's files. */
export async function* nameKgtorrent(corpus: Corpus): AsyncGenerator<Found> {
  for await (const found of corpus) {
    const [, author, slug] = KGTORRENT_NAME.exec(found.path) ?? [];
    if ("rejected" in found || author === undefined) yield found;
    else yield { ...found, facts: { ...found.facts, ...kernelFacts(author, slug!) } };
  }
}

/** The rows of a CSV file, by the names of its columns. INPUT_INVALID if a column of `required` is missing. */
async function* readCsv(file: string, required: readonly string[] = []): AsyncGenerator<CsvRow> {
  const rows = csvParser();
  rows.once("headers", (columns: readonly string[]) => {
    const missing = required.find((name) => !columns.includes(name));
    if (missing === undefined) return;
    const shown = columns.join(", ").slice(0, MAX_SHOWN);
    rows.destroy(new RecommenderError("INPUT_INVALID", `${file} has no column ${missing}; its columns are ${shown}.`));
  });
  // The iteration throws the error of either stream.
  pipeline(createReadStream(file), rows, () => {});
  yield* rows as AsyncIterable<CsvRow>;
}
