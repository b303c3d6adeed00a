import { createReadStream } from "node:fs";
import type { Duplex, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import unbzip2 from "unbzip2-stream";

/** The streams that read a file and unpack it by its name: `.gz`, `.tgz`, `.bz2`, or as it is. For `pipeline`. */
export function unpackingStreams(file: string): [Readable, ...Duplex[]] {
  const bytes = createReadStream(file);
  if (/\.(tgz|gz)$/i.test(file)) return [bytes, createGunzip()];
  // Node has no bzip2.
  return /\.(tbz2?|bz2)$/i.test(file) ? [bytes, unbzip2()] : [bytes];
}
