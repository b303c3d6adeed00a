import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline, Transform } from "node:stream";
import { createGunzip } from "node:zlib";
import { extract } from "tar-stream";
import { formatOf } from "../formats.js";
import { isCandidateInside } from "./candidates.js";
import type { Found } from "./entry.js";
import {
  ARCHIVE_LIMITS,
  type ArchiveLimits,
  damaged,
  leadsOutside,
  safePath,
  tooLarge,
  unpacksTooFar,
} from "./inside.js";

/** The notebooks of a tar archive, packed or not, as it streams by. */
export async function* readTar(
  source: string,
  file: string,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
): AsyncGenerator<Found> {
  const { size: packed } = await stat(file);
  let unpacked = 0;
  let isBomb = false;
  const guard = new Transform({
    transform(chunk: Buffer, _, done) {
      unpacked += chunk.length;
      isBomb = unpacked > packed * limits.ratio + limits.file;
      done(isBomb ? new Error("too much") : null, chunk);
    },
  });
  const entries = extract();
  const isPacked = /\.(tgz|gz)$/.test(file);
  // The iteration below hears of every error; the callback is there so that nobody else has to.
  const streams = [createReadStream(file), ...(isPacked ? [createGunzip()] : []), guard, entries];
  pipeline(streams as unknown as NodeJS.ReadWriteStream[], () => {});
  try {
    for await (const entry of entries) {
      const { name, type, size = 0, mtime } = entry.header;
      const path = safePath(name);
      const isWanted = type === "file" && (path === null || isCandidateInside(path));
      if (isWanted && path !== null && size <= limits.file) {
        const bytes = await collect(entry);
        yield {
          source,
          path,
          facts: {},
          stamp: `${size} ${mtime?.getTime() ?? 0}`,
          size,
          named: false,
          read: async () => ({ format: formatOf(path), bytes }),
        };
        continue;
      }
      if (isWanted)
        yield { source, path: path ?? name, rejected: path === null ? leadsOutside() : tooLarge(size, limits) };
      entry.resume();
    }
  } catch (error) {
    yield { source, path: ".", rejected: isBomb ? unpacksTooFar(limits) : damaged(error), hides: true };
  }
}

async function collect(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
