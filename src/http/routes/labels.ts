import { labelAnswer, labelCountsAnswer } from "../../ask/answers.js";
import { INLINE_BYTES, LIMITS } from "../../ask/limits.js";
import { type LabelRequest, labelRequest } from "../../ask/requests.js";
import { jsonBody, jsonBytes } from "../read-body.js";
import { type BodyReader, defineRoute } from "../route.js";

/** A large body is passed on as bytes, because the thread that labels it also parses it. */
const labelBody: BodyReader<LabelRequest | Uint8Array> = {
  content: { "application/json": labelRequest },
  maxBytes: LIMITS.bodyBytes,
  read(request) {
    const bytes = jsonBytes(request);
    return bytes.length > INLINE_BYTES.labelled ? bytes : jsonBody(labelRequest).read(request);
  },
};

export const labelRoutes = [
  defineRoute({
    name: "label",
    tag: "Asking",
    method: "post",
    path: "/v1/labels",
    scope: "read",
    summary: "The machine-learning tasks that a cell, or each cell of a notebook, does",
    body: labelBody,
    example: { code: "model.fit(X_train, y_train)" },
    answers: {
      200: { description: "The labels of the cell, or of each code cell of the notebook.", schema: labelAnswer },
    },
    errors: ["NOT_A_NOTEBOOK"],
    handle: async ({ ask, body, signal }) => ({ status: 200, body: await ask.label(body, signal) }),
  }),
  defineRoute({
    name: "countLabels",
    tag: "Index",
    method: "get",
    path: "/v1/labels",
    scope: "read",
    summary: "The label set with the number of stored cells that have each",
    answers: { 200: { description: "In the order of the label set.", schema: labelCountsAnswer } },
    errors: ["INDEX_MISMATCH"],
    handle: async ({ ask }) => ({ status: 200, body: await ask.countLabels() }),
  }),
];
