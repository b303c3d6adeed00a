/** UTF-8, or UTF-16 where the file says so, as some Windows tools write it. */
export function decode(bytes: Uint8Array): string {
  const mark = bytes.length < 2 ? 0 : (bytes[0]! << 8) | bytes[1]!;
  return new TextDecoder(mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : "utf-8").decode(bytes);
}
