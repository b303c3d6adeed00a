import { betterOf } from "../../metrics/index.js";
import type { Cluster } from "../../statistics/clusters.js";
import { type Pairing, pairClusters, refusePairing, requireSame } from "../../statistics/pairing.js";
import { type CelrecResult, figureIn } from "./document.js";

type SeedEntry = CelrecResult["manifest"]["seeds"][number];

/** Pairs the seeds of two runs, which must be the same texts with the same mutants. */
export function pairSeeds(a: CelrecResult, b: CelrecResult): Pairing {
  requireSame("seeds", a.manifest.seeds, b.manifest.seeds, ({ seed }) => seed);
  const others = new Map(b.manifest.seeds.map((seed) => [seed.seed, seed]));
  for (const seed of a.manifest.seeds) requireSameSeed(seed, others.get(seed.seed)!);
  const metrics = Object.keys(a.ci95).filter((metric) => metric in b.ci95);
  const clusters = ({ mps2 }: CelrecResult) =>
    mps2.map((row): Cluster => {
      const means = metrics.map((metric) => figureIn(row, metric));
      return {
        id: row.seed,
        sums: means.map((mean) => (mean ?? 0) * row.lines),
        counts: means.map((mean) => (mean === null ? 0 : row.lines)),
      };
    });
  const decisive = metrics.find((metric) => metric.startsWith("ndcg-ideal@")) ?? metrics[0];
  return { unit: "seed", metrics, decisive, units: pairClusters(clusters(a), clusters(b)), better: betterOf };
}

function requireSameSeed(seed: SeedEntry, other: SeedEntry): void {
  if (seed.hash !== other.hash) throw refusePairing(`the seed ${seed.seed} was another text`);
  const cells = ({ mutants }: SeedEntry) => mutants.map(({ id }) => id).join();
  if (cells(seed) !== cells(other))
    throw refusePairing(`the seed ${seed.seed} had other mutants; were the mutators the same?`);
}
