import { cellAnswer, sourceList, statsAnswer } from "../../ask/answers.js";
import { idRequest, occurrencesRequest } from "../../ask/requests.js";
import { defineRoute } from "../route.js";

export const indexRoutes = [
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
  defineRoute({
    name: "getCell",
    tag: "Index",
    method: "get",
    path: "/v1/cells/{id}",
    scope: "read",
    summary: "One stored cell and its occurrences, a page at a time",
    params: idRequest,
    query: occurrencesRequest,
    answers: { 200: { description: "Occurrences by source, name and index.", schema: cellAnswer } },
    errors: ["NOT_FOUND", "INDEX_MISMATCH"],
    handle: async ({ ask, params, query, signal }) => ({
      status: 200,
      body: await ask.getCell(params.id, query, signal),
    }),
  }),
  defineRoute({
    name: "stats",
    tag: "Index",
    method: "get",
    path: "/v1/stats",
    scope: "read",
    summary: "The size of the index, its embedder and its store",
    answers: { 200: { description: "Counts.", schema: statsAnswer } },
    errors: ["INDEX_MISMATCH"],
    handle: async ({ ask }) => ({ status: 200, body: await ask.stats() }),
  }),
  defineRoute({
    name: "listSources",
    tag: "Index",
    method: "get",
    path: "/v1/sources",
    scope: "read",
    summary: "The sources in the index, with counts and when they were last indexed",
    answers: { 200: { description: "Ordered by name.", schema: sourceList } },
    errors: ["INDEX_MISMATCH"],
    handle: async ({ ask }) => ({ status: 200, body: await ask.listSources() }),
  }),
  defineRoute({
    name: "forgetSource",
    tag: "Index",
    method: "delete",
    path: "/v1/sources/{id}",
    scope: "write",
    summary: "Removes a source with all its notebooks",
    params: idRequest,
    answers: { 204: { description: "Removed." } },
    errors: ["NOT_FOUND", "INDEX_MISMATCH", "INDEX_LOCKED", "DISK_FULL"],
    handle: async ({ ask, params, signal }) => {
      await ask.forgetSource(params.id, signal);
      return { status: 204 };
    },
  }),
];
