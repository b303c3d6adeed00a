/** FNV-1a, cut to 30 bits: JavaScript engines keep such numbers without allocating. Never 0. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return finish(hash);
}

/** Of two hashes one; the order matters. */
export function hashPair(left: number, right: number): number {
  return finish(Math.imul(Math.imul(left ^ 0x9e3779b9, 0x85ebca6b) ^ right, 0xc2b2ae35));
}

function finish(hash: number): number {
  return (((hash ^ (hash >>> 15)) >>> 2) & 0x3fffffff) | 1;
}
