import { relevantCells } from "../relevance.js";
import type { Report } from "./report.js";
import { trecName } from "./run.js";

/**
 * TREC judgements: `query 0 cell rating`, relevant cells only. With the ratings as grades ranx's `ndcg_burges@k` is our
 * `ndcg-ideal@k`; trec_eval's own nDCG takes grades for gains and differs.
 */
export const qrels: Report = {
  name: "TREC qrels",
  extensions: [".qrels"],
  suites: ["celrec"],
  *render(document) {
    if (document.suite !== "celrec") return;
    const cells = new Map(document.manifest.seeds.map(({ seed, mutants }) => [seed, relevantCells(mutants)]));
    for (const { id, seed } of document.queries) {
      for (const cell of cells.get(seed) ?? []) yield `${trecName(id)} 0 ${trecName(cell.id)} ${cell.rating}\n`;
    }
  },
};
