/** Numbers in [0, 1), the same for the same seed on every machine (xoshiro128** by Blackman and Vigna, 32 bits each). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  // splitmix32 fills the state: neighbouring seeds must not start alike, and the state must not be all zero.
  const fill = () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return mixed ^ (mixed >>> 15);
  };
  let [a, b, c, d] = [fill(), fill(), fill(), fill()];
  return () => {
    const scrambled = Math.imul(rotate(Math.imul(b, 5), 7), 9);
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotate(d, 11);
    return (scrambled >>> 0) / 2 ** 32;
  };
}

const rotate = (value: number, by: number): number => (value << by) | (value >>> (32 - by));
