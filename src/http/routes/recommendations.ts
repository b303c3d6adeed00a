import { completeAnswer, feedbackSummary, recommendAnswer, searchAnswer, similarAnswer } from "../../ask/answers.js";
import { askRequest, completeRequest, feedbackRequest, searchRequest, similarRequest } from "../../ask/requests.js";
import { jsonBody } from "../read-body.js";
import { defineRoute } from "../route.js";

export const recommendationRoutes = [
  defineRoute({
    name: "recommend",
    tag: "Asking",
    method: "post",
    path: "/v1/recommendations",
    scope: "read",
    summary: "Recommends stored cells for the cell being typed",
    body: jsonBody(askRequest),
    example: { code: "df = pd.read_csv(", k: 2, mode: "complete", context: { before: ["import pandas as pd"] } },
    answers: {
      200: {
        description: "The cells, best first. The list is empty if nothing is a good match.",
        schema: recommendAnswer,
      },
    },
    errors: ["NOT_FOUND", "INDEX_MISMATCH", "MODEL_UNAVAILABLE"],
    handle: async ({ ask, body, signal, metrics }) => {
      const { json, took } = await ask.recommendJson(body, signal);
      metrics.observeStages(took);
      return { status: 200, body: json };
    },
  }),
  defineRoute({
    name: "complete",
    tag: "Asking",
    method: "post",
    path: "/v1/completions",
    scope: "read",
    summary: "Completes the text at the cursor, in the user's own names",
    description:
      "A client that sends a request at every key press should abort the previous one, which cancels its work.",
    body: jsonBody(completeRequest),
    example: { prefix: "df.gro", context: { before: ["import pandas as pd", 'df = pd.read_csv("train.csv")'] } },
    answers: {
      200: { description: "The completions, most probable first. Often there is none.", schema: completeAnswer },
    },
    errors: ["MODEL_UNAVAILABLE"],
    handle: async ({ ask, body, signal }) => ({ status: 200, body: await ask.complete(body, signal) }),
  }),
  defineRoute({
    name: "search",
    tag: "Asking",
    method: "post",
    path: "/v1/search",
    scope: "read",
    summary: "Searches stored cells by plain words",
    body: jsonBody(searchRequest),
    example: { text: "read a csv file", k: 3 },
    answers: { 200: { description: "The cells, best first.", schema: searchAnswer } },
    errors: ["INDEX_MISMATCH", "MODEL_UNAVAILABLE"],
    handle: async ({ ask, body, signal }) => ({ status: 200, body: await ask.search(body, signal) }),
  }),
  defineRoute({
    name: "findSimilar",
    tag: "Asking",
    method: "post",
    path: "/v1/similar-notebooks",
    scope: "read",
    summary: "Finds the stored notebooks that are most similar to a given one",
    description: "The notebook itself is never in its own results.",
    body: jsonBody(similarRequest),
    example: {
      notebook: { nbformat: 4, metadata: {}, cells: [{ cell_type: "code", source: "import pandas as pd" }] },
      k: 3,
    },
    answers: { 200: { description: "The notebooks, most similar first.", schema: similarAnswer } },
    errors: ["NOT_FOUND", "NOT_A_NOTEBOOK", "INDEX_MISMATCH", "MODEL_UNAVAILABLE"],
    handle: async ({ ask, body, signal }) => ({ status: 200, body: await ask.findSimilar(body, signal) }),
  }),
];

export const feedbackRoutes = [
  defineRoute({
    name: "feedback",
    tag: "Asking",
    method: "post",
    path: "/v1/feedback",
    scope: "read",
    summary: "Reports what the user did with a recommendation",
    description: "Stored only if feedback is turned on (`CELREC_FEEDBACK=on`), and never with code.",
    body: jsonBody(feedbackRequest),
    answers: { 204: { description: "Stored." } },
    errors: ["NOT_FOUND", "DISK_FULL"],
    handle: ({ ask, body }) => {
      ask.feedback.add(body);
      return { status: 204 };
    },
  }),
  defineRoute({
    name: "feedbackSummary",
    tag: "Asking",
    method: "get",
    path: "/v1/feedback/summary",
    scope: "read",
    summary: "How many recommendations were accepted, by label, rank, mode, confidence and embedder",
    answers: { 200: { description: "Shares with 95 % intervals.", schema: feedbackSummary } },
    errors: ["NOT_FOUND"],
    handle: ({ ask }) => ({ status: 200, body: ask.feedback.summary() }),
  }),
];
