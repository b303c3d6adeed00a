import { ownCopy } from "../../python/own-copy.js";

/** Remembers what `make` gave for a key; when `most` are remembered, the oldest goes. */
export function createMemory<T>(most: number, make: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    // Keys of a Map are in the order they came.
    if (known.size >= most) known.delete(known.keys().next().value!);
    const own = ownCopy(key);
    const made = make(own);
    known.set(own, made);
    return made;
  };
}
