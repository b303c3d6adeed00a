import { createCodebertEmbedder } from "../../src/embed/codebert.js";
import { strip } from "../../src/python/strip.js";
import { realCells } from "./corpus.js";
import type { Row } from "./table.js";

const CELLS = 400;
const CELL_STEP = 37;

/** Cells per second and memory of a model folder, on real cells of all lengths. */
export async function benchCodebert(model: string): Promise<Row[]> {
  const group = `CodeBERT, ${model.split("/").at(-1)}`;
  const texts = realCells()
    .filter((_, at) => at % CELL_STEP === 0)
    .slice(0, CELLS)
    .map((code) => strip(code).text);
  const embedder = await createCodebertEmbedder({ model });
  await embedder.embed(texts.slice(0, 4), "cell");
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  await embedder.embed(texts, "cell");
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const rate = texts.length / seconds;
  const oneQuery = performance.now();
  for (const text of texts.slice(0, 20)) await embedder.embed([text.slice(0, 200)], "query");
  const query = (performance.now() - oneQuery) / 20;
  await embedder.close();
  return [
    { group, name: "cells", value: texts.length, unit: "" },
    { group, name: "rate", value: rate, unit: "cells/s" },
    { group, name: "processor time", value: (user + system) / 1000 / texts.length, unit: "ms/cell" },
    { group, name: "one question", value: query, unit: "ms" },
    { group, name: "peak memory", value: process.resourceUsage().maxRSS / 1024, unit: "MB" },
    { group, name: "100,000 cells", value: 100_000 / rate / 3600, unit: "h" },
    { group, name: "1,000,000 cells", value: 1_000_000 / rate / 3600, unit: "h" },
  ];
}
