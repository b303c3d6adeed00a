// One of several processes that write into one index at once. Plain JavaScript, because it runs without a compiler.
// node writer-process.js ADDRESS PREFIX NAME ROUNDS: prints the planned change before each write, and the content of
// its notebooks after each acknowledgement.
import { createHash } from "node:crypto";
import { writeSync } from "node:fs";
import { createMilvusStore } from "../../../dist/src/store/milvus.js";

const [address, prefix, name, rounds] = process.argv.slice(2);
const NOTEBOOKS = 3;
const SHARED = 5;
const identity = { embedder: "test@1", dimensions: 4, labeller: "test@1", labels: ["load", "plot"] };
const sha = (text) => createHash("sha256").update(text).digest("hex");
const toCell = (code) => {
  const vector = Float32Array.from(createHash("sha256").update(code).digest().subarray(0, 4), (byte) => byte - 128);
  return { id: sha(code), code, clean: code, labels: [], primary: null, vector };
};
const seed = sha(name);
const draw = (round, of) => (parseInt(seed.slice(0, 6), 16) * 31 + round * 7919 + Math.floor(round / 3)) % of;
/** Writes synchronously, because a killed process prints nothing more. */
const say = (line) => writeSync(1, `${JSON.stringify(line)}\n`);

const store = createMilvusStore({ address, prefix, identity });
const held = new Map();
for (let round = 0; round < Number(rounds); round++) {
  const id = sha(`${name} ${draw(round, NOTEBOOKS)}`);
  if (draw(round, 4) === 0 && held.has(id)) {
    say({ id, next: null });
    await store.remove(id);
    held.delete(id);
  } else {
    const cells = [...new Set([draw(round, SHARED), draw(round + 1, SHARED)])].map((at) => toCell(`shared ${at}`));
    const positions = cells.map((cell, cellIndex) => ({ cellIndex, id: cell.id }));
    const version = sha(`${name} ${round}`);
    const notebook = { id, source: "s", name: id, version, skipped: 0, cells: positions, facts: {} };
    say({ id, next: notebook });
    await store.write([notebook], async (ids) => cells.filter((cell) => ids.includes(cell.id)));
    held.set(id, notebook);
  }
  say({ held: [...held.values()] });
}
await store.close();
