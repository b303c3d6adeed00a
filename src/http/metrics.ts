import type { RequestHandler } from "express";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** Histogram buckets in seconds; fine below 100 ms, the usual range. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

interface MetricsDeps {
  /** Number of requests in progress. */
  readonly running: () => number;
  /** Number of requests waiting for a thread. */
  readonly waiting: () => number;
  readonly counts: () => Promise<{ readonly cells: number; readonly notebooks: number }>;
}

/** Metrics for Prometheus: rate, errors and duration per route and stage, index size, queue, event loop delay. */
export function createMetrics({ running, waiting, counts }: MetricsDeps) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const requests = new Histogram({
    name: "celrec_request_duration_seconds",
    help: "Time from the request to the end of the response.",
    labelNames: ["call", "status"],
    buckets: BUCKETS,
    registers,
  });
  const stages = new Histogram({
    name: "celrec_stage_duration_seconds",
    help: "Time of each stage of a recommendation.",
    labelNames: ["stage"],
    buckets: BUCKETS,
    registers,
  });
  const refused = new Counter({
    name: "celrec_refused_total",
    help: "Requests that were refused because of overload or the rate limit.",
    labelNames: ["status"],
    registers,
  });
  new Gauge({
    name: "celrec_requests_running",
    help: "Requests in progress.",
    registers,
    collect() {
      this.set(running());
    },
  });
  new Gauge({
    name: "celrec_questions_waiting",
    help: "Requests waiting for a thread.",
    registers,
    collect() {
      this.set(waiting());
    },
  });
  new Gauge({
    name: "celrec_index_size",
    help: "Cells and notebooks in the index.",
    labelNames: ["what"],
    registers,
    async collect() {
      // Without a readable index, the other metrics are still reported.
      const size = await counts().catch(() => null);
      this.reset();
      if (size === null) return;
      this.set({ what: "cells" }, size.cells);
      this.set({ what: "notebooks" }, size.notebooks);
    },
  });
  return {
    /** Measures one route. */
    watch:
      (call: string): RequestHandler =>
      (_request, response, next) => {
        const end = requests.startTimer({ call });
        response.once("close", () => {
          end({ status: response.statusCode });
          if ([429, 503].includes(response.statusCode)) refused.inc({ status: response.statusCode });
        });
        next();
      },
    countRefusal: () => refused.inc({ status: 503 }),
    observeStages: (took: Readonly<Record<string, number>>) => {
      for (const [stage, ms] of Object.entries(took)) stages.observe({ stage }, ms / 1000);
    },
    read: async () => ({ type: registry.contentType, text: await registry.metrics() }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
