import { createHash, type Hash } from "node:crypto";
import { appendFileSync, closeSync, fstatSync, openSync, readSync } from "node:fs";

const DIGEST = 32;
const CHUNK = 1 << 20;

/** Ends a file with the hash of what it holds, so that half a file, or one with other bytes, is told from a good one. */
export function seal(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    appendFileSync(path, hash(descriptor, fstatSync(descriptor).size));
  } finally {
    closeSync(descriptor);
  }
}

export function isSealed(path: string): boolean {
  const descriptor = openSync(path, "r");
  try {
    const length = fstatSync(descriptor).size - DIGEST;
    if (length < 0) return false;
    const found = Buffer.alloc(DIGEST);
    readSync(descriptor, found, 0, DIGEST, length);
    return hash(descriptor, length).equals(found);
  } finally {
    closeSync(descriptor);
  }
}

/** The bytes of a sealed file as they were before. A copy, at an offset that numbers may start at. */
export function withoutSeal(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes.subarray(0, bytes.length - DIGEST));
}

function hash(descriptor: number, length: number): Buffer {
  const chunk = Buffer.alloc(CHUNK);
  const hasher: Hash = createHash("sha256");
  for (let at = 0; at < length; ) {
    const read = readSync(descriptor, chunk, 0, Math.min(CHUNK, length - at), at);
    if (read === 0) break;
    hasher.update(chunk.subarray(0, read));
    at += read;
  }
  return hasher.digest();
}
