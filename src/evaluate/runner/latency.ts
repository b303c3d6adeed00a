import type { Latency } from "../document.js";
import { quantile } from "../statistics/bootstrap.js";

/** Sums up the milliseconds of every stage that appears in any of the samples. */
export function summarizeLatency(samples: Iterable<Readonly<Record<string, number>> | undefined>): Latency {
  const stages = new Map<string, number[]>();
  for (const sample of samples) {
    for (const [stage, ms] of Object.entries(sample ?? {})) {
      const known = stages.get(stage);
      if (known === undefined) stages.set(stage, [ms]);
      else known.push(ms);
    }
  }
  return Object.fromEntries([...stages].map(([stage, times]) => [stage, summarize(Float64Array.from(times).sort())]));
}

function summarize(sorted: Float64Array): Latency[string] {
  const round = (ms: number) => Math.round(ms * 1000) / 1000;
  return {
    mean: round(sorted.reduce((sum, ms) => sum + ms, 0) / sorted.length),
    p50: round(quantile(sorted, 0.5)),
    p95: round(quantile(sorted, 0.95)),
    p99: round(quantile(sorted, 0.99)),
    max: round(sorted.at(-1)!),
  };
}
