// The steps of the crash test: the write of each step, and the content of the index after it. This is plain JavaScript,
// because the killed child runs it without a compiler.
import { createHash } from "node:crypto";

export const IDENTITY = { embedder: "test@1", dimensions: 16, labeller: "test@1", labels: ["load", "plot"] };

/** Every settle writes files and grows the graph in parts, so that kills in the middle of a settle occur, too. */
export const LIMITS = { minSavedRows: 20, maxBehindShare: 0, partRows: 40 };

export const sha = (text) => createHash("sha256").update(text).digest("hex");

/** Step n writes one of 30 notebooks with two cells of its own and a shared one. Every ninth step removes one. */
export function describeStep(step) {
  const name = `notebook ${step % 30}`;
  if (step % 9 === 8) return { remove: `notebook ${(step * 7) % 30}` };
  return { name, codes: [`own ${step} a`, `own ${step} b`, `shared ${step % 5}`] };
}

export function toCell(code) {
  const bytes = createHash("sha256").update(code).digest();
  const vector = Float32Array.from(bytes.subarray(0, IDENTITY.dimensions), (byte) => byte - 128);
  return { id: sha(code), code, clean: code, labels: ["load"], primary: "load", vector };
}

export async function applyStep(store, step) {
  const { remove, name, codes } = describeStep(step);
  if (remove !== undefined) {
    await store.remove(sha(remove));
    if (step % 2 === 0) await store.settle();
    return;
  }
  const cells = codes.map(toCell);
  const positions = cells.map(({ id }, cellIndex) => ({ cellIndex, id }));
  const version = sha(`${step}`);
  const notebook = { id: sha(name), source: "s", name, version, skipped: 0, cells: positions, facts: {} };
  await store.write([notebook], async (ids) => cells.filter(({ id }) => ids.includes(id)));
}

/** Notebooks by name, as they are after a step; `held` is changed. */
export function follow(held, step) {
  const { remove, name, codes } = describeStep(step);
  if (remove !== undefined) held.delete(remove);
  else held.set(name, codes);
  return held;
}
