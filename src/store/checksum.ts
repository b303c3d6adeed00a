/** A 32-bit hash of bytes and numbers (FNV-1a), to notice a damaged row: what is stored beside a row must be what it gives. */
export function checksum(bytes: Uint8Array, ...numbers: readonly number[]): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < bytes.length; at += 1) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  for (const number of numbers) hash = Math.imul(hash ^ number, 0x01000193);
  return hash >>> 0;
}
