import { cellAnswer } from "../../ask/answers.js";
import { idRequest, occurrencesRequest } from "../../ask/requests.js";
import { defineRoute } from "../define-route.js";

export const cellRoutes = [
  defineRoute({
    name: "getCell",
    tag: "Index",
    method: "get",
    path: "/v1/cells/{id}",
    scope: "read",
    summary: "One stored cell and where it occurs, a page at a time",
    params: idRequest,
    query: occurrencesRequest,
    answers: { 200: { description: "Occurrences by source, name and index.", schema: cellAnswer } },
    errors: ["NOT_FOUND", "INDEX_MISMATCH"],
    handle: async ({ ask, params, query, signal }) => ({
      status: 200,
      body: await ask.getCell(params.id, query, signal),
    }),
  }),
];
