import { asRecord, asString } from "../json.js";
import type { NotebookFacts } from "../notebook.js";
import { readRegularFile } from "../regular-file.js";

/** What is known of the notebook of this name. */
export interface KernelMetadata {
  readonly codeFile: string;
  readonly facts: NotebookFacts;
}

const LARGEST = 2 ** 20;

/** What the `kernel-metadata.json` of a folder, as Kaggle's command line writes it, tells of the notebook it names. */
export function readKernelMetadata(file: string): KernelMetadata | null {
  const read = readRegularFile(file, LARGEST);
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
export function kernelFacts(author: string, slug: string): NotebookFacts {
  return { author, url: `https://www.kaggle.com/code/${author}/${slug}` };
}

function parse(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return asRecord(JSON.parse(text));
  } catch {
    return null;
  }
}
