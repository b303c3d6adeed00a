import { existsSync } from "node:fs";
import { join } from "node:path";
import { RecommenderError } from "../../errors.js";
import type { NotebookFacts } from "../notebook.js";
import { readCsv } from "./csv.js";
import type { Corpus, Found } from "./entry.js";
import { kernelFacts } from "./kernel-metadata.js";

export interface MetaKaggleOptions {
  /** A folder with Kernels.csv and KernelVersions.csv, and Users.csv where it is there. */
  readonly folder: string;
  /** Otherwise only the newest version of a kernel that the corpus has. */
  readonly allVersions: boolean;
  /** Told how many entries are going to come, before the first. */
  readonly onCount?: (entries: number) => void;
}

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

interface Version {
  readonly kernel: number;
  readonly title: string;
  readonly number: string;
}

async function readVersions(folder: string, present: ReadonlySet<number>) {
  const versions = new Map<number, Version>();
  const newest = new Map<number, number>();
  for await (const row of readCsv(join(folder, "KernelVersions.csv"), ["Id", "ScriptId"])) {
    const id = Number(row.get("Id"));
    if (!present.has(id)) continue;
    const kernel = Number(row.get("ScriptId"));
    versions.set(id, {
      kernel,
      title: row.get("Title") ?? "",
      number: row.get("VersionNumber")?.replace(/\.0$/, "") ?? "",
    });
    if (id > (newest.get(kernel) ?? -1)) newest.set(kernel, id);
  }
  return { versions, newest };
}

async function readKernels(folder: string, wanted: ReadonlySet<number>) {
  const kernels = new Map<number, { readonly user: string; readonly slug: string; readonly votes: number }>();
  for await (const row of readCsv(join(folder, "Kernels.csv"), ["Id"])) {
    const id = Number(row.get("Id"));
    if (!wanted.has(id)) continue;
    const votes = Number(row.get("TotalVotes") ?? 0);
    kernels.set(id, { user: row.get("AuthorUserId") ?? "", slug: row.get("CurrentUrlSlug") ?? "", votes });
  }
  return kernels;
}

/** The names of the authors; without the table their numbers have to do. */
async function readUsers(folder: string, wanted: ReadonlySet<string>): Promise<Map<string, string>> {
  const users = new Map<string, string>();
  const file = join(folder, "Users.csv");
  if (!existsSync(file)) return users;
  for await (const row of readCsv(file)) {
    const id = row.get("Id") ?? "";
    if (wanted.has(id)) users.set(id, row.get("UserName") ?? id);
  }
  return users;
}

function versionOf(path: string): number | null {
  const found = VERSION.exec(path)?.[1];
  return found === undefined ? null : Number(found);
}
