import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline, Transform } from "node:stream";
import { createGunzip } from "node:zlib";
import { extract } from "tar-stream";
import { formatOf } from "../formats.js";
import { ARCHIVE_LIMITS, type ArchiveLimits, createMeter, damaged, refuse, safePath } from "./archive-limits.js";
import { isCandidateInside } from "./candidates.js";
import type { Found } from "./entry.js";

/** The notebooks of a tar archive, packed or not, as it streams by. */
export async function* readTar(
  source: string,
  file: string,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
): AsyncGenerator<Found> {
  const meter = createMeter((await stat(file)).size, limits);
  const guard = new Transform({
    transform(chunk: Buffer, _, done) {
      meter.addBytes(chunk.length);
      done(meter.excess() === null ? null : new Error("too much"), chunk);
    },
  });
  const entries = extract();
  const isPacked = /\.(tgz|gz)$/i.test(file);
  // The iteration below throws every error; the empty callback avoids an uncaught one.
  const streams = [createReadStream(file), ...(isPacked ? [createGunzip()] : []), guard, entries];
  pipeline(streams as unknown as NodeJS.ReadWriteStream[], () => {});
  try {
    for await (const entry of entries) {
      const { name, type, size = 0, mtime } = entry.header;
      const path = safePath(name);
      meter.addEntry();
      if (meter.excess() !== null) throw new Error("too much");
      const isWanted = type === "file" && (path === null || isCandidateInside(path));
      const rejected = isWanted ? refuse(path, size, limits) : null;
      if (isWanted && path !== null && rejected === null) {
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
      if (rejected !== null) yield { source, path: path ?? name, rejected };
      entry.resume();
    }
  } catch (error) {
    yield { source, path: ".", rejected: meter.excess() ?? damaged(error), hides: true };
  }
}

async function collect(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
