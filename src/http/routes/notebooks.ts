import type { Express, Request } from "express";
import { RecommenderError } from "../../errors.js";
import type { IngestReport } from "../../ingest/ingest.js";
import type { ParsedNotebook, Rejection } from "../../notebook/notebook.js";
import { parseNotebook, readNotebook } from "../../notebook/parse.js";
import { parseScript } from "../../notebook/parse-script.js";
import type { AppDeps } from "../app.js";
import { checkCellCount, contentType, parseRequest, readJson, toPointer } from "../parse-request.js";
import { idParams, noQuery, notebookName, pageQuery, uploadQuery } from "../schemas.js";

interface Upload {
  readonly name: string;
  readonly parsed: ParsedNotebook;
}

/** Upload, list, get and delete notebooks. */
export function addNotebooks(app: Express, { store, ingest }: AppDeps): void {
  app.post("/v1/notebooks", async (request, response) => {
    const { name } = parseRequest(uploadQuery, request.query);
    const uploads =
      contentType(request) === "multipart/form-data" ? await readForm(request) : [readSingle(request, name)];
    const rejected = uploads.flatMap(({ name, parsed }) =>
      "rejected" in parsed ? [{ name, ...parsed.rejected }] : [],
    );
    if (rejected.length === uploads.length) throw rejectAll(rejected);
    const taken = uploads.flatMap(({ name, parsed }) =>
      "notebook" in parsed ? [{ name, notebook: parsed.notebook }] : [],
    );
    for (const { name, notebook } of taken) checkCellCount(name, notebook);
    const reports = await ingest(taken);
    response.status(reports.every(({ unchanged }) => unchanged) ? 200 : 201).json({
      notebooks: reports.map(withoutUnchanged),
      rejected: rejected.map(({ name, reason }) => ({ name, reason })),
    });
  });

  app.get("/v1/notebooks", async (request, response) => {
    const { cursor, limit } = parseRequest(pageQuery, request.query);
    const notebooks = await store.notebooks({ ...(cursor !== undefined && { after: cursor }), limit });
    response.json({ notebooks, cursor: notebooks.length === limit ? notebooks.at(-1)!.id : null });
  });

  app.get("/v1/notebooks/:id", async (request, response) => {
    parseRequest(noQuery, request.query);
    const { id } = parseRequest(idParams, request.params);
    const notebook = await store.notebook(id);
    if (notebook === null) throw unknownNotebook(id);
    const cells = new Map((await store.cells(notebook.cells.map((cell) => cell.id))).map((cell) => [cell.id, cell]));
    response.json({
      id,
      name: notebook.name,
      version: notebook.version,
      skipped: notebook.skipped,
      // Another process may have replaced the notebook since, and the cell may be gone.
      cells: notebook.cells.flatMap(({ cellIndex, id: cell }) => {
        const found = cells.get(cell);
        if (found === undefined) return [];
        const { code, labels, primary } = found;
        return [{ cellIndex, id: cell, code, labels, primary }];
      }),
    });
  });

  app.delete("/v1/notebooks/:id", async (request, response) => {
    const { id } = parseRequest(idParams, request.params);
    if (!(await store.remove(id))) throw unknownNotebook(id);
    response.status(204).end();
  });
}

function readSingle(request: Request, name: string | undefined): Upload {
  if (name === undefined) {
    const problems = [{ pointer: "/name", message: "is missing" }];
    throw new RecommenderError("INPUT_INVALID", "The notebook has no name; send it as ?name=.", { problems });
  }
  return { name, parsed: readNotebook(readJson(request)) };
}

async function readForm(request: Request): Promise<Upload[]> {
  const headers = { "content-type": request.headers["content-type"]! };
  const form = await new Response(request.body as Buffer, { headers }).formData().catch((cause: unknown) => {
    throw new RecommenderError("INPUT_INVALID", `The body is not a multipart form: ${(cause as Error).message}`, {
      cause,
    });
  });
  const files = [...form.entries()].flatMap(([field, value]) =>
    typeof value === "string" ? [] : [{ field, file: value }],
  );
  if (files.length === 0)
    throw new RecommenderError("INPUT_INVALID", "The form holds no file; send each notebook as a file.");
  return Promise.all(
    files.map(async ({ file }) => {
      const name = parseRequest(notebookName, file.name);
      const text = await file.text();
      return { name, parsed: name.endsWith(".py") ? parseScript(text) : parseNotebook(text) };
    }),
  );
}

function rejectAll(rejected: readonly (Rejection & { name: string })[]): RecommenderError {
  const detail = rejected.map(({ name, reason }) => `${name}: ${reason}`).join("; ");
  const problems = rejected.map(({ name, reason }) => ({ pointer: toPointer([name]), message: reason }));
  const code = rejected.every(({ kind }) => kind === "not-json") ? "INPUT_INVALID" : "NOT_A_NOTEBOOK";
  return new RecommenderError(code, detail, { problems });
}

function withoutUnchanged({ unchanged: _, ...report }: IngestReport): Omit<IngestReport, "unchanged"> {
  return report;
}

function unknownNotebook(id: string): RecommenderError {
  return new RecommenderError("NOT_FOUND", `There is no notebook ${id}; GET /v1/notebooks lists them.`);
}
