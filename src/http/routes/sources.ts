import { sourceList } from "../../ask/answers.js";
import { idRequest } from "../../ask/requests.js";
import { defineRoute } from "../define-route.js";

export const sourceRoutes = [
  defineRoute({
    name: "listSources",
    tag: "Index",
    method: "get",
    path: "/v1/sources",
    scope: "read",
    summary: "The corpora in the index, with what they hold and when they were last indexed",
    answers: { 200: { description: "By name.", schema: sourceList } },
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
