import { hash } from "node:crypto";

const HEX = /^[0-9a-f]{64}$/;

/** Whether a text is a hex sha-256, the form of all ids. */
export function isId(text: string): boolean {
  return HEX.test(text);
}

/** The 32 bytes of an id; null for any other text. */
export function toBytes(id: string): Buffer | null {
  return isId(id) ? Buffer.from(id, "hex") : null;
}

/** The bytes of an id for storing; throws for any other text. */
export function toKey(id: string): Buffer {
  const bytes = toBytes(id);
  if (bytes === null) throw new Error(`${JSON.stringify(id)} is not a hex sha-256`);
  return bytes;
}

/** The id of a cell, computed from its code. If the stored id differs, the row is damaged. */
export function idOfCode(code: Buffer): string {
  return hash("sha256", code, "hex");
}

/** A vector as stored bytes: its numbers, then their checksum. */
export function writeVector(vector: Float32Array): Buffer {
  const blob = Buffer.alloc(vector.byteLength + 4);
  blob.set(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
  blob.writeUInt32LE(
    checksumOfWords(new Uint32Array(vector.buffer.slice(vector.byteOffset, vector.byteOffset + vector.byteLength))),
    vector.byteLength,
  );
  return blob;
}

/** Reads a stored vector; null for a corrupt record. Copies, because the driver's buffer may not be aligned. */
export function readVector(blob: unknown, dimensions: number): Float32Array | null {
  if (!Buffer.isBuffer(blob) || blob.length !== 4 * dimensions + 4) return null;
  const vector = new Float32Array(dimensions);
  new Uint8Array(vector.buffer).set(blob.subarray(0, 4 * dimensions));
  return checksumOfWords(new Uint32Array(vector.buffer)) === blob.readUInt32LE(4 * dimensions) ? vector : null;
}

/** A checksum over 32-bit words instead of bytes, because thousands of vectors are read per second. */
function checksumOfWords(words: Uint32Array): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < words.length; at += 1) hash = Math.imul(hash ^ words[at]!, 0x01000193);
  return hash >>> 0;
}

/** A 32-bit hash (FNV-1a) of bytes and numbers, stored with a row to detect corruption. */
export function checksum(bytes: Uint8Array, ...numbers: readonly number[]): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < bytes.length; at += 1) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  for (const number of numbers) hash = Math.imul(hash ^ number, 0x01000193);
  return hash >>> 0;
}
