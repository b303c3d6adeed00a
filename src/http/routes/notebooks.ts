import { markdownAnswer, notebookAnswer, notebookList, uploadAnswer } from "../../ask/answers.js";
import type { UploadedFile } from "../../ask/inspect-upload.js";
import { fields } from "../../ask/parse-input.js";
import { idRequest, listRequest, notebookName } from "../../ask/requests.js";
import { RecommenderError } from "../../errors.js";
import { type UploadPart, uploadBody } from "../read-body.js";
import { defineRoute } from "../route.js";

export const notebookRoutes = [
  defineRoute({
    name: "upload",
    tag: "Notebooks",
    method: "post",
    path: "/v1/notebooks",
    scope: "write",
    summary: "Adds a notebook (the body), or many (multipart)",
    description: "The same source and name with new content replaces the notebook; the same content changes nothing.",
    query: fields({
      source: notebookName.optional().describe("The source that the notebooks belong to; `upload` by default."),
      name: notebookName.optional().describe("The name of the notebook, if the body is a single notebook."),
    }),
    body: uploadBody,
    example: {
      nbformat: 4,
      nbformat_minor: 5,
      metadata: {},
      cells: [{ cell_type: "code", metadata: {}, execution_count: null, outputs: [], source: "import pandas as pd" }],
    },
    answers: {
      201: { description: "Stored. Files that are not notebooks are listed in `rejected`.", schema: uploadAnswer },
      200: { description: "Nothing changed: the index already had all of it.", schema: uploadAnswer },
    },
    errors: ["NOT_A_NOTEBOOK", "HOLDS_SECRETS", "INDEX_MISMATCH", "INDEX_LOCKED", "MODEL_UNAVAILABLE", "DISK_FULL"],
    handle: async ({ ask, query, body, signal }) => {
      const files = body.map((part) => toFile(part, query));
      const { changed, answer } = await ask.upload(files, signal);
      return { status: changed ? 201 : 200, body: answer };
    },
  }),
  defineRoute({
    name: "listNotebooks",
    tag: "Notebooks",
    method: "get",
    path: "/v1/notebooks",
    scope: "read",
    summary: "Lists the notebooks, a page at a time",
    query: listRequest,
    answers: { 200: { description: "In ascending order of id.", schema: notebookList } },
    errors: ["INDEX_MISMATCH"],
    handle: async ({ ask, query }) => ({ status: 200, body: await ask.listNotebooks(query) }),
  }),
  defineRoute({
    name: "getNotebook",
    tag: "Notebooks",
    method: "get",
    path: "/v1/notebooks/{id}",
    scope: "read",
    summary: "One notebook with its stored cells and their labels",
    params: idRequest,
    answers: { 200: { description: "The notebook.", schema: notebookAnswer } },
    errors: ["NOT_FOUND", "INDEX_MISMATCH"],
    handle: async ({ ask, params, signal }) => ({ status: 200, body: await ask.getNotebook(params.id, signal) }),
  }),
  defineRoute({
    name: "getMarkdown",
    tag: "Notebooks",
    method: "get",
    path: "/v1/notebooks/{id}/markdown",
    scope: "read",
    summary: "The Markdown of a notebook, if its file is on the machine of the service",
    description: "The index stores code only. The file is read again, and left out if its code has changed.",
    params: idRequest,
    answers: { 200: { description: "In the order of the notebook.", schema: markdownAnswer } },
    errors: ["NOT_FOUND", "INDEX_MISMATCH"],
    handle: async ({ ask, params }) => ({ status: 200, body: await ask.getMarkdown(params.id) }),
  }),
  defineRoute({
    name: "deleteNotebook",
    tag: "Notebooks",
    method: "delete",
    path: "/v1/notebooks/{id}",
    scope: "write",
    summary: "Removes a notebook and the cells that occur only in it",
    params: idRequest,
    answers: { 204: { description: "Removed." } },
    errors: ["NOT_FOUND", "INDEX_MISMATCH", "INDEX_LOCKED", "DISK_FULL"],
    handle: async ({ ask, params }) => {
      await ask.deleteNotebook(params.id);
      return { status: 204 };
    },
  }),
];

function toFile(part: UploadPart, query: { readonly source?: string | undefined; readonly name?: string | undefined }) {
  const name = part.name ?? query.name;
  if (name === undefined) {
    const problems = [{ pointer: "/name", message: "is missing" }];
    throw new RecommenderError("INPUT_INVALID", "The notebook has no name; send it as ?name=.", { problems });
  }
  const file: UploadedFile = {
    ...(query.source !== undefined && { source: query.source }),
    name,
    format: part.format,
    bytes: part.bytes,
  };
  return file;
}
