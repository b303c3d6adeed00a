import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join, sep } from "node:path";
import { RecommenderError } from "../../errors.js";
import type { FileContent } from "./kernels.js";

/** What lies beside a notebook and is probably data; larger files are left where they are. */
const DATA = [".csv", ".tsv", ".json", ".txt"];
const MAX_BYTES = 5 * 2 ** 20;
/** The scratch folder of a kernel has 256 MB. */
const MAX_BYTES_IN_ALL = 64 * 2 ** 20;

/** The small files of data beside a notebook. */
export function readDataBeside(folder: string): Record<string, FileContent> {
  const files = readdirSync(folder).filter((name) => DATA.includes(extname(name)));
  const small = files.filter((name) => statSync(join(folder, name)).size <= MAX_BYTES);
  return Object.fromEntries(small.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/** Every file below a folder, whatever it holds; TOO_LARGE where a kernel could not take them all. */
export function readDataFolder(folder: string): Record<string, FileContent> {
  const names = listFiles(folder);
  const bytes = names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  if (bytes > MAX_BYTES_IN_ALL)
    throw new RecommenderError("TOO_LARGE", `${folder} holds ${bytes} bytes; at most 64 MB of data can be given.`);
  const read = (name: string) => ({ base64: readFileSync(join(folder, name)).toString("base64") });
  return Object.fromEntries(names.map((name) => [name.split(sep).join("/"), read(name)]));
}

function listFiles(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, encoding: "utf8" });
    return entries.filter((name) => statSync(join(folder, name)).isFile()).sort();
  } catch (cause) {
    throw new RecommenderError("NOT_FOUND", `${folder} cannot be read: ${(cause as Error).message}`, { cause });
  }
}
