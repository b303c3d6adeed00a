/** A vector as it is stored: its numbers, then a checksum of them. */
export function writeVector(vector: Float32Array): Buffer {
  const blob = Buffer.alloc(vector.byteLength + 4);
  blob.set(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
  blob.writeUInt32LE(
    sum(new Uint32Array(vector.buffer.slice(vector.byteOffset, vector.byteOffset + vector.byteLength))),
    vector.byteLength,
  );
  return blob;
}

/** A copy, because the driver's buffer need not start at a multiple of four; null for anything that was not written so. */
export function readVector(blob: unknown, dimensions: number): Float32Array | null {
  if (!Buffer.isBuffer(blob) || blob.length !== 4 * dimensions + 4) return null;
  const vector = new Float32Array(dimensions);
  new Uint8Array(vector.buffer).set(blob.subarray(0, 4 * dimensions));
  return sum(new Uint32Array(vector.buffer)) === blob.readUInt32LE(4 * dimensions) ? vector : null;
}

/** By words, not bytes: thousands are read per second. */
function sum(words: Uint32Array): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < words.length; at += 1) hash = Math.imul(hash ^ words[at]!, 0x01000193);
  return hash >>> 0;
}
