import { createHash } from "node:crypto";
import type { Report } from "../../reports/write-reports.js";
import type { CelrecResult, QueryResult } from "./celrec-result.js";
import { documentScale } from "./celrec-score.js";
import { relevantCells } from "./judge.js";

/** TREC run: `query Q0 cell rank score tag`. The tag names the version and a hash of the settings. */
export const trecRun: Report<CelrecResult> = {
  name: "TREC run",
  extensions: [".run", ".trec"],
  *render(document) {
    const tag = tagOf(document);
    for (const { id, results } of document.queries) {
      const scores = decreasingScores(results);
      for (const [at, result] of results.entries()) {
        yield `${trecName(id)} Q0 ${trecName(result.id)} ${at + 1} ${scores[at]} ${tag}\n`;
      }
    }
  },
};

/** Encodes white space in a name, because it separates fields. */
export const trecName = (name: string): string => name.replace(/[\s%]/g, (char) => encodeURIComponent(char));

/**
 * trec_eval sorts by score and ignores the rank. If scores do not decrease with the rank, they are replaced by scores
 * made from the ranks.
 */
function decreasingScores(results: readonly QueryResult[]): number[] {
  const scores = results.map(({ score }) => score ?? Number.NaN);
  const falling = scores.every((score, at) => (at === 0 ? !Number.isNaN(score) : score < scores[at - 1]!));
  return falling ? scores : results.map((_, at) => results.length - at);
}

function tagOf({ manifest, config, k }: CelrecResult): string {
  const { seeds: _, command: __, ...repeatable } = manifest;
  const hash = createHash("sha256")
    .update(JSON.stringify([repeatable, config, k]))
    .digest("hex");
  return `celrec-${trecName(manifest.versions.celrec ?? "0")}-${hash.slice(0, 8)}`;
}

/**
 * TREC judgements: `query 0 cell rating`, relevant cells only. With the ratings as grades ranx's `ndcg_burges@k` is our
 * `ndcg-ideal@k`; trec_eval's own nDCG takes grades for gains and differs.
 */
export const trecQrels: Report<CelrecResult> = {
  name: "TREC qrels",
  extensions: [".qrels"],
  *render(document) {
    const scale = documentScale(document);
    const cells = new Map(document.manifest.seeds.map(({ seed, mutants }) => [seed, relevantCells(mutants, scale)]));
    for (const { id, seed } of document.queries) {
      for (const cell of cells.get(seed) ?? []) yield `${trecName(id)} 0 ${trecName(cell.id)} ${cell.rating}\n`;
    }
  },
};
