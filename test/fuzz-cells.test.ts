import fc from "fast-check";
import { describe, it } from "vitest";
import { cellText } from "../scripts/fuzz/cell-text.js";
import { checkCell } from "../scripts/fuzz/check-cell.js";
import { assetPath } from "../src/config.js";
import { createPiecesEmbedder } from "../src/embed/pieces.js";
import { createLabeller } from "../src/label/create-labeller.js";
import { readNotebooks } from "../src/notebook/corpus/open-paths.js";
import { extractCells } from "../src/notebook/extract.js";

/** `scripts/fuzz-cells.ts` runs the same test for any time. */
describe("arbitrary text as a cell", () => {
  it("passes the whole pipeline deterministically", async () => {
    const codes: string[] = [];
    for await (const { parsed } of readNotebooks([assetPath("examples/notebooks")]))
      if ("notebook" in parsed) codes.push(...extractCells(parsed.notebook).map(({ code }) => code));
    const labeller = createLabeller();
    const embedder = await createPiecesEmbedder({ folder: assetPath("models/embedder") });
    const check = fc.asyncProperty(cellText(codes, 5_000), (text) => checkCell(text, labeller, embedder));
    await fc.assert(check, { numRuns: 300 });
  });
});
