import { once } from "node:events";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { realCells } from "./corpus.js";
import { makeVariants } from "./variants.js";

const FILE = join(tmpdir(), "celrec-scale-corpus.jsonl");

/** The first `count` cells of the corpus: generating them takes longest, so they are cached in a file. */
export async function* readCorpus(count: number): AsyncGenerator<string> {
  let left = count;
  for await (const line of createInterface({ input: createReadStream(FILE) })) {
    if (left-- <= 0) return;
    yield JSON.parse(line) as string;
  }
}

/** Generates the file, unless it has enough cells. The first cells of a larger corpus are those of a smaller one. */
export async function ensureCorpus(count: number): Promise<void> {
  if (existsSync(FILE) && (await countLines()) >= count) return;
  const out = createWriteStream(FILE);
  for await (const code of makeVariants(realCells(), count)) {
    if (!out.write(`${JSON.stringify(code)}\n`)) await once(out, "drain");
  }
  await new Promise<void>((resolve) => {
    out.end(resolve);
  });
}

async function countLines(): Promise<number> {
  let lines = 0;
  for await (const _ of createInterface({ input: createReadStream(FILE) })) lines += 1;
  return lines;
}
