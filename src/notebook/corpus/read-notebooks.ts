import { basename } from "node:path";
import { readListedFile } from "../file-system.js";
import { parseBytes } from "../formats.js";
import type { ParsedNotebook } from "../notebook.js";
import type { Content, Corpus, Found } from "./entry.js";
import { openPaths } from "./open-paths.js";

/** A notebook of a corpus with all of its content. */
export interface ReadEntry {
  readonly source: string;
  readonly path: string;
  /** Its path or URL, where it has one. */
  readonly location: string | undefined;
  readonly parsed: ParsedNotebook;
}

/** Reads the notebooks at and below the paths, one after another; a plain script that nobody named is passed over. */
export async function* readNotebooks(paths: readonly string[]): AsyncGenerator<ReadEntry> {
  if (paths.length === 0) return;
  yield* readCorpus((await openPaths(paths)).corpus);
}

async function* readCorpus(corpus: Corpus): AsyncGenerator<ReadEntry> {
  for await (const found of corpus) {
    const parsed = await read(found);
    if ("rejected" in parsed && parsed.rejected.kind === "plain-script" && !isNamed(found)) continue;
    const location = "rejected" in found ? undefined : found.facts.location;
    yield { source: found.source, path: found.path, location, parsed };
  }
}

async function read(found: Found): Promise<ParsedNotebook> {
  const content = "rejected" in found ? found : await found.read();
  return "rejected" in content ? content : parse(content);
}

function parse(content: Content): ParsedNotebook {
  const read = "file" in content ? readListedFile(content.file) : content;
  return "rejected" in read ? read : parseBytes(content.format, read.bytes);
}

const isNamed = (found: Found) => "named" in found && found.named;

/**
 * Unique names of notebooks: the path in the source; if that is taken, with the source's last part before it; else with
 * the whole source.
 */
export function createUniqueNames(): (notebook: { readonly source: string; readonly path: string }) => string {
  const taken = new Set<string>();
  return ({ source, path }) => {
    const name = [path, `${basename(source)}/${path}`, `${source}/${path}`].find((each) => !taken.has(each))!;
    taken.add(name);
    return name;
  };
}
