import { RecommenderError } from "../../errors.js";
import { readListedFile } from "../file-system.js";
import { asRecord, asString } from "../json-text.js";
import type { NotebookFacts } from "../notebook.js";
import type { Corpus, CorpusItem } from "./entry.js";
import { type KaggleTables, openKaggleTables } from "./kaggle-tables.js";

interface MetaKaggleOptions {
  /** A folder with Kernels.csv and KernelVersions.csv, and Users.csv if available. */
  readonly folder: string;
  /** Whether to include all versions of a kernel. By default, only the newest version in the corpus. */
  readonly allVersions: boolean;
  /** Called with the number of entries, before the first. */
  readonly onCount?: (entries: number) => void;
}

/** Matches file names of Meta Kaggle Code, which are version numbers of kernels. */
const VERSION_FILE = /(?:^|\/)(\d+)\.(?:ipynb|py)$/;

/**
 * Joins the files of Meta Kaggle Code with its tables: title, author, votes, version and address of each kernel.
 * Reads all names before it yields the first file, to know which versions exist.
 */
export async function* joinMetaKaggle(
  open: () => Corpus,
  { folder, allVersions, onCount = () => {} }: MetaKaggleOptions,
): AsyncGenerator<CorpusItem> {
  const tables = openKaggleTables(folder);
  for (const name of ["Kernels", "KernelVersions"]) {
    if (!tables.has(name))
      throw new RecommenderError("NOT_FOUND", `There is no ${name}.csv in ${folder}; download it with Meta Kaggle.`);
  }
  const present = new Set<number>();
  let entries = 0;
  for await (const { path } of open()) {
    entries += 1;
    const version = versionOf(path);
    if (version !== null) present.add(version);
  }
  if (present.size === 0 && entries > 0)
    throw new RecommenderError(
      "INPUT_INVALID",
      `None of the ${entries} files is named after a kernel version, as in Meta Kaggle Code (123.ipynb). For file names of KGTorrent, add --kgtorrent.`,
    );
  const { versions, newest } = await readVersions(tables, present);
  if (present.size > 0 && versions.size === 0)
    throw new RecommenderError(
      "INPUT_INVALID",
      `None of the ${present.size} files is in the table KernelVersions of ${folder}; is it the table of this corpus?`,
    );
  const kernels = await readKernels(tables, new Set(newest.keys()));
  const users = await readUsers(tables, new Set([...kernels.values()].map(({ user }) => user)));
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

interface Version {
  readonly kernel: number;
  readonly title: string;
  readonly number: string;
}

async function readVersions(tables: KaggleTables, present: ReadonlySet<number>) {
  const versions = new Map<number, Version>();
  const newest = new Map<number, number>();
  for await (const row of tables.rows("KernelVersions", ["Id", "ScriptId"])) {
    const id = Number(row.Id);
    if (!present.has(id)) continue;
    const kernel = Number(row.ScriptId);
    versions.set(id, {
      kernel,
      title: row.Title ?? "",
      number: withoutFraction(row.VersionNumber ?? ""),
    });
    if (id > (newest.get(kernel) ?? -1)) newest.set(kernel, id);
  }
  return { versions, newest };
}

async function readKernels(tables: KaggleTables, wanted: ReadonlySet<number>) {
  const kernels = new Map<number, { readonly user: string; readonly slug: string; readonly votes: number }>();
  for await (const row of tables.rows("Kernels", ["Id"])) {
    const id = Number(row.Id);
    if (!wanted.has(id)) continue;
    const votes = Number(row.TotalVotes ?? 0);
    kernels.set(id, { user: row.AuthorUserId ?? "", slug: row.CurrentUrlSlug ?? "", votes });
  }
  return kernels;
}

/** The names of the authors; without the table, their numbers. */
async function readUsers(tables: KaggleTables, wanted: ReadonlySet<string>): Promise<Map<string, string>> {
  const users = new Map<string, string>();
  if (!tables.has("Users")) return users;
  for await (const row of tables.rows("Users")) {
    const id = row.Id ?? "";
    if (wanted.has(id)) users.set(id, row.UserName ?? id);
  }
  return users;
}

function versionOf(path: string): number | null {
  const found = VERSION_FILE.exec(path)?.[1];
  return found === undefined ? null : Number(found);
}

/** The file name of a notebook, and the facts about it. */
export interface KernelMetadata {
  readonly codeFile: string;
  readonly facts: NotebookFacts;
}

const MAX_METADATA_BYTES = 2 ** 20;

/** The facts in a folder's `kernel-metadata.json`, which Kaggle's command line writes. */
export function readKernelMetadata(file: string): KernelMetadata | null {
  const read = readListedFile(file, MAX_METADATA_BYTES);
  if ("rejected" in read) return null;
  const metadata = parseObject(read.bytes.toString());
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

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return asRecord(JSON.parse(text));
  } catch {
    return null;
  }
}

/** KGTorrent names a notebook by its author and the slug of the kernel. */
const KGTORRENT_NAME = /(?:^|\/)([A-Za-z0-9-]+)_([^/]+)\.ipynb$/;

interface KgtorrentOptions {
  /** Meta Kaggle's tables, or KGTorrent's dump of them. */
  readonly tables?: string | undefined;
  /** Called at the end with the number of notebooks, and of those found in the tables. */
  readonly onJoined?: (joined: number, notebooks: number) => void;
}

/** Number of notebooks looked up before the first is yielded, which detects wrong tables early. */
const MAX_PEEKED = 100;

/**
 * Adds author and URL, read from the names of KGTorrent's files; with tables also title and votes, joined by author
 * and name. INPUT_INVALID for tables that contain none of the first notebooks.
 */
export async function* nameKgtorrent(
  corpus: Corpus,
  { tables, onJoined = () => {} }: KgtorrentOptions = {},
): AsyncGenerator<CorpusItem> {
  const known = tables === undefined ? null : await readKernelFacts(openKaggleTables(tables));
  let [joined, notebooks] = [0, 0];
  let peeked: CorpusItem[] | null = known === null ? null : [];
  for await (const found of corpus) {
    const [, author, slug] = KGTORRENT_NAME.exec(found.path) ?? [];
    const isNamed = !("rejected" in found) && author !== undefined;
    const more = isNamed ? known?.get(kernelKey(author, slug!)) : undefined;
    notebooks += "rejected" in found ? 0 : 1;
    joined += more === undefined ? 0 : 1;
    const named = isNamed ? { ...found, facts: { ...found.facts, ...kernelFacts(author, slug!), ...more } } : found;
    if (peeked === null) yield named;
    else {
      peeked.push(named);
      if (joined === 0 && peeked.length < MAX_PEEKED) continue;
      requireJoined(joined, notebooks, tables!);
      yield* peeked;
      peeked = null;
    }
  }
  if (peeked !== null) {
    if (notebooks > 0) requireJoined(joined, notebooks, tables!);
    yield* peeked;
  }
  onJoined(joined, notebooks);
}

function requireJoined(joined: number, notebooks: number, tables: string): void {
  if (joined > 0) return;
  throw new RecommenderError(
    "INPUT_INVALID",
    `The table Kernels of ${tables} has no kernel with the author and name of any of the first ${notebooks} notebooks; does it belong to this corpus?`,
  );
}

const kernelKey = (author: string, slug: string): string => `${author}/${slug}`.toLowerCase();

/** Title and votes of all kernels, by author and name. */
async function readKernelFacts(tables: KaggleTables): Promise<Map<string, NotebookFacts>> {
  for (const name of ["Kernels", "Users"]) {
    if (!tables.has(name))
      throw new RecommenderError("NOT_FOUND", `There is no ${name}.csv in ${tables.path}; the join needs it.`);
  }
  const kernels: { readonly user: string; readonly slug: string; readonly version: string; readonly votes: string }[] =
    [];
  for await (const row of tables.rows("Kernels", ["AuthorUserId", "CurrentUrlSlug"])) {
    const { AuthorUserId: user = "", CurrentUrlSlug: slug = "", CurrentKernelVersionId = "", TotalVotes = "" } = row;
    kernels.push({ user, slug, version: withoutFraction(CurrentKernelVersionId), votes: TotalVotes });
  }
  const users = await readUsers(tables, new Set(kernels.map(({ user }) => user)));
  const titles = await readTitles(tables, new Set(kernels.map(({ version }) => version)));
  return new Map(
    kernels.flatMap(({ user, slug, version, votes }) => {
      const author = users.get(user);
      const title = titles.get(version);
      const facts = { ...(title && { title }), ...(votes !== "" && { votes: Number(votes) }) };
      return author === undefined ? [] : [[kernelKey(author, slug), facts] as const];
    }),
  );
}

async function readTitles(tables: KaggleTables, wanted: ReadonlySet<string>): Promise<Map<string, string>> {
  const titles = new Map<string, string>();
  if (!tables.has("KernelVersions")) return titles;
  for await (const { Id = "", Title = "" } of tables.rows("KernelVersions")) if (wanted.has(Id)) titles.set(Id, Title);
  return titles;
}

/** pandas writes an integer of a column with gaps as `12.0`. */
const withoutFraction = (number: string): string => number.replace(/\.0$/, "");
