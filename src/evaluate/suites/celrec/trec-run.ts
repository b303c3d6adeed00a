import { createHash } from "node:crypto";
import type { Report } from "../../reports/report.js";
import type { CelrecResult, QueryResult } from "./document.js";

/** TREC run: `query Q0 cell rank score tag`. The tag names the version and a hash of the settings. */
export const trecRun: Report<CelrecResult> = {
  name: "TREC run",
  extensions: [".run", ".trec"],
  *render(document) {
    const tag = tagOf(document);
    for (const { id, results } of document.queries) {
      const scores = fallingScores(results);
      for (const [at, result] of results.entries()) {
        yield `${trecName(id)} Q0 ${trecName(result.id)} ${at + 1} ${scores[at]} ${tag}\n`;
      }
    }
  },
};

/** Fields are separated by white space, so a name can have none. */
export const trecName = (name: string): string => name.replace(/[\s%]/g, (char) => encodeURIComponent(char));

/** trec_eval sorts by score and ignores the rank: where the scores do not fall from rank to rank, ranks stand for them. */
function fallingScores(results: readonly QueryResult[]): number[] {
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
