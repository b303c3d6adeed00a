import { recommendAnswer } from "../../ask/answers.js";
import { askRequest } from "../../ask/requests.js";
import { defineRoute } from "../define-route.js";
import { jsonBody } from "../read-body.js";

export const recommendationRoutes = [
  defineRoute({
    name: "recommend",
    tag: "Asking",
    method: "post",
    path: "/v1/recommendations",
    scope: "read",
    summary: "The stored cells that help most with the one being typed",
    body: jsonBody(askRequest),
    example: { code: "df = pd.read_csv(", k: 2, mode: "complete", context: { before: ["import pandas as pd"] } },
    answers: {
      200: { description: "The cells, best first; an empty list is an honest answer.", schema: recommendAnswer },
    },
    errors: ["NOT_FOUND", "INDEX_MISMATCH", "MODEL_UNAVAILABLE"],
    handle: async ({ ask, body, signal }) => ({ status: 200, body: await ask.recommend(body, signal) }),
  }),
];
