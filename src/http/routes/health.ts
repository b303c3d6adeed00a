import { z } from "zod";
import { defineRoute } from "../route.js";

const state = z.string().describe("`ok` or an error code; the log has the details.");
const readiness = z.strictObject({ status: z.enum(["ready", "not ready", "stopping"]), store: state, model: state });

export const healthRoutes = [
  defineRoute({
    name: "health",
    tag: "Operations",
    method: "get",
    path: "/healthz",
    scope: "none",
    summary: "Whether the process is alive",
    answers: { 200: { description: "It is alive.", schema: z.strictObject({ status: z.literal("ok") }) } },
    handle: () => ({ status: 200, body: { status: "ok" } }),
  }),
  defineRoute({
    name: "ready",
    tag: "Operations",
    method: "get",
    path: "/readyz",
    scope: "none",
    summary: "Whether the store and the model can answer",
    answers: {
      200: { description: "Ready.", schema: readiness },
      503: {
        description: "Not ready, or stopping; `Retry-After` says when to try again.",
        schema: readiness,
      },
    },
    handle: async ({ ask, onNotReady, isStopping }) => {
      const checks = await ask.ready(onNotReady);
      const canAnswer = checks.store === "ok" && checks.model === "ok";
      const status = isStopping() ? "stopping" : canAnswer ? "ready" : "not ready";
      const body = { status, ...checks };
      return status === "ready" ? { status: 200, body } : { status: 503, body, headers: { "retry-after": "5" } };
    },
  }),
  defineRoute({
    name: "metrics",
    tag: "Operations",
    method: "get",
    path: "/metrics",
    scope: "read",
    summary: "Metrics for Prometheus",
    answers: { 200: { description: "In its text format.", schema: z.string(), type: "text/plain" } },
    handle: async ({ metrics }) => {
      const { type, text } = await metrics.read();
      return { status: 200, body: text, headers: { "content-type": type } };
    },
  }),
];
