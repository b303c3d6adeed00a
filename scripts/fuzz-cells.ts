// Run after a change to the processing of cells; sends generated and damaged cells through the whole pipeline:
//   node dist/scripts/fuzz-cells.js [SECONDS] [NOTEBOOKS…]
import fc from "fast-check";
import { assetPath } from "../src/config.js";
import { createPiecesEmbedder } from "../src/embed/pieces.js";
import { createLabeller } from "../src/label/create-labeller.js";
import { readNotebooks } from "../src/notebook/corpus/open-paths.js";
import { extractCells } from "../src/notebook/extract.js";
import { cellText } from "./fuzz/cell-text.js";
import { checkCell } from "./fuzz/check-cell.js";

const MAX_LENGTH = 60_000;
const [seconds = "60", ...paths] = process.argv.slice(2);

const codes: string[] = [];
for await (const { parsed } of readNotebooks(paths.length > 0 ? paths : [assetPath("examples/notebooks")]))
  if ("notebook" in parsed) codes.push(...extractCells(parsed.notebook).map(({ code }) => code));
const labeller = createLabeller();
const embedder = await createPiecesEmbedder({ folder: assetPath("models/embedder") });

let runs = 0;
let slowest = { milliseconds: 0, text: "" };
const check = fc.asyncProperty(cellText(codes, MAX_LENGTH), async (text) => {
  const { user } = process.cpuUsage();
  await checkCell(text, labeller, embedder);
  const milliseconds = (process.cpuUsage().user - user) / 1000;
  if (milliseconds > slowest.milliseconds) slowest = { milliseconds, text };
  runs += 1;
});
await fc.assert(check, {
  numRuns: Number.MAX_SAFE_INTEGER,
  interruptAfterTimeLimit: Number(seconds) * 1000,
});
console.log(
  `${runs} cells, nothing found. The slowest took ${slowest.milliseconds.toFixed(0)} ms for all stages, each twice:`,
);
console.log(`${slowest.text.length} characters, ${JSON.stringify(slowest.text.slice(0, 120))}`);
