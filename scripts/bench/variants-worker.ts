import { parentPort } from "node:worker_threads";
import { mutators } from "../../mutators/index.js";
import { loadGrammar } from "../../src/python/grammar.js";
import type { VariantTask } from "./variants.js";

// Run by `variants.ts`, in as many threads as there are cores.
const ready = loadGrammar();
parentPort!.on("message", async ({ cells, chosen }: VariantTask) => {
  await ready;
  const variants = cells.map((code, at) =>
    chosen[at]!.reduce((text, operator) => mutators[operator]!.apply(text), code),
  );
  parentPort!.postMessage(variants);
});
