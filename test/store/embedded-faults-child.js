// The child of embedded-faults.test.ts. It opens damaged indexes, which may crash the process. Prints all notebooks and
// cells of each index as JSON, or the error.
import { createEmbeddedStore } from "../../dist/src/store/embedded.js";

const [options, action, ...folders] = process.argv.slice(2);
const results = [];
for (const folder of folders)
  results.push(await run(folder).catch(({ name, code, message }) => ({ error: { name, code, message } })));
process.stdout.write(JSON.stringify(results));

async function run(folder) {
  const writer = { pid: process.pid, activity: "test" };
  const store = createEmbeddedStore({ folder, writer, hold: "call", ...JSON.parse(options) });
  if (action === "write") {
    await store.remove("0".repeat(64));
    return { written: true };
  }
  const counts = await store.counts();
  const notebooks = [];
  for (const { id } of await store.notebooks({ limit: 100 })) notebooks.push(await store.notebook(id));
  const ids = [...new Set(notebooks.flatMap(({ cells }) => cells.map((cell) => cell.id)))];
  const cells = await store.cells(ids);
  const vectors = [...(await store.vectors(ids))].map(([id, vector]) => [id, [...vector]]);
  const provenance = [...(await store.provenance(ids))];
  const hits = await store.search({ vector: Float32Array.of(1, 2, 3, 4), k: 20 });
  const words = await store.lexical({ words: new Map([["load", 1]]), k: 20 });
  return { counts, notebooks, cells, vectors, provenance, hits, words };
}
