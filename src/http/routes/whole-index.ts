import { statsAnswer } from "../../ask/answers.js";
import { defineRoute } from "../define-route.js";

export const wholeIndexRoutes = [
  defineRoute({
    name: "stats",
    tag: "Index",
    method: "get",
    path: "/v1/stats",
    scope: "read",
    summary: "What the index holds, and what made it",
    answers: { 200: { description: "Counts.", schema: statsAnswer } },
    errors: ["INDEX_MISMATCH"],
    handle: async ({ ask }) => ({ status: 200, body: await ask.stats() }),
  }),
  defineRoute({
    name: "clear",
    tag: "Index",
    method: "delete",
    path: "/v1/index",
    scope: "admin",
    summary: "Empties the index",
    answers: { 204: { description: "Empty." } },
    errors: ["INDEX_LOCKED", "DISK_FULL"],
    handle: async ({ ask }) => {
      await ask.clear();
      return { status: 204 };
    },
  }),
];
