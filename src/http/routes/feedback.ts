import { feedbackSummary } from "../../ask/answers.js";
import { feedbackRequest } from "../../ask/requests.js";
import { defineRoute } from "../define-route.js";
import { jsonBody } from "../read-body.js";

export const feedbackRoutes = [
  defineRoute({
    name: "feedback",
    tag: "Asking",
    method: "post",
    path: "/v1/feedback",
    scope: "read",
    summary: "What became of a recommendation",
    description: "Kept only where the service is set to (`CELREC_FEEDBACK=on`), and never with code.",
    body: jsonBody(feedbackRequest),
    answers: { 204: { description: "Kept." } },
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
