import type { Report } from "../../reports/report.js";
import type { CelrecResult } from "./document.js";
import { trecName } from "./trec-run.js";
import { relevantCells } from "./truth.js";

/**
 * TREC judgements: `query 0 cell rating`, relevant cells only. With the ratings as grades ranx's `ndcg_burges@k` is our
 * `ndcg-ideal@k`; trec_eval's own nDCG takes grades for gains and differs.
 */
export const trecQrels: Report<CelrecResult> = {
  name: "TREC qrels",
  extensions: [".qrels"],
  *render(document) {
    const cells = new Map(document.manifest.seeds.map(({ seed, mutants }) => [seed, relevantCells(mutants)]));
    for (const { id, seed } of document.queries) {
      for (const cell of cells.get(seed) ?? []) yield `${trecName(id)} 0 ${trecName(cell.id)} ${cell.rating}\n`;
    }
  },
};
