/** All arithmetic uses 64 bits. */
const MASK = (1n << 64n) - 1n;
const MIN_TABLE = 8;
const LINEAR_PROBES = 9;
const PERTURB_SHIFT = 5n;

/**
 * The order in which CPython 3.11 lists a set of strings with `PYTHONHASHSEED=0`. Without a fixed seed the order
 * differs in every run.
 */
export function orderOfSet(members: readonly string[]): string[] {
  let table: (string | undefined)[] = Array.from({ length: MIN_TABLE });
  let used = 0;
  for (const member of members) {
    if (!insert(table, member)) continue;
    used += 1;
    if (used * 5 >= (table.length - 1) * 3) {
      let size = MIN_TABLE;
      while (size <= used * 4) size *= 2;
      const grown: (string | undefined)[] = Array.from({ length: size });
      for (const known of table) if (known !== undefined) insert(grown, known);
      table = grown;
    }
  }
  return table.filter((member) => member !== undefined);
}

/** Inserts a member into the first free slot of its probe sequence; false if it is already in the set. */
function insert(table: (string | undefined)[], member: string): boolean {
  const mask = table.length - 1;
  const hash = hashOf(member);
  let perturb = hash;
  let at = Number(hash & BigInt(mask));
  for (;;) {
    const last = at + LINEAR_PROBES <= mask ? at + LINEAR_PROBES : at;
    for (let slot = at; slot <= last; slot += 1) {
      if (table[slot] === member) return false;
      if (table[slot] !== undefined) continue;
      table[slot] = member;
      return true;
    }
    perturb >>= PERTURB_SHIFT;
    at = Number((BigInt(at) * 5n + 1n + perturb) & BigInt(mask));
  }
}

const knownHashes = new Map<string, bigint>();
const MAX_KNOWN_HASHES = 100_000;

function hashOf(text: string): bigint {
  let hash = knownHashes.get(text);
  if (hash === undefined) {
    if (knownHashes.size >= MAX_KNOWN_HASHES) knownHashes.clear();
    hash = text === "" ? 0n : sipHash13(bytesOf(text));
    knownHashes.set(text, hash);
  }
  return hash;
}

/** The bytes of a string that Python hashes: one, two or four per character, depending on its widest character. */
function bytesOf(text: string): Uint8Array {
  const codes = Array.from(text, (character) => character.codePointAt(0)!);
  const widest = Math.max(...codes);
  const width = widest < 0x100 ? 1 : widest < 0x10000 ? 2 : 4;
  const bytes = new Uint8Array(codes.length * width);
  for (const [at, code] of codes.entries()) {
    for (let byte = 0; byte < width; byte += 1) bytes[at * width + byte] = (code >>> (8 * byte)) & 0xff;
  }
  return bytes;
}

/** SipHash (Aumasson and Bernstein 2012) with one and three rounds and a key of zeros. */
function sipHash13(bytes: Uint8Array): bigint {
  const rotate = (value: bigint, by: bigint) => ((value << by) | (value >> (64n - by))) & MASK;
  let [a, b, c, d] = [0x736f6d6570736575n, 0x646f72616e646f6dn, 0x6c7967656e657261n, 0x7465646279746573n];
  const round = () => {
    a = (a + b) & MASK;
    c = (c + d) & MASK;
    b = rotate(b, 13n) ^ a;
    d = rotate(d, 16n) ^ c;
    a = rotate(a, 32n);
    c = (c + b) & MASK;
    a = (a + d) & MASK;
    b = rotate(b, 17n) ^ c;
    d = rotate(d, 21n) ^ a;
    c = rotate(c, 32n);
  };
  const mix = (word: bigint) => {
    d ^= word;
    round();
    a ^= word;
  };
  const wordAt = (from: number, to: number) => {
    let word = 0n;
    for (let at = to - 1; at >= from; at -= 1) word = (word << 8n) | BigInt(bytes[at]!);
    return word;
  };
  const whole = bytes.length - (bytes.length % 8);
  for (let at = 0; at < whole; at += 8) mix(wordAt(at, at + 8));
  mix((BigInt(bytes.length & 0xff) << 56n) | wordAt(whole, bytes.length));
  c ^= 0xffn;
  for (let last = 0; last < 3; last += 1) round();
  return (a ^ b ^ c ^ d) & MASK;
}
