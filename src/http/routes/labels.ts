import type { Express } from "express";
import { checkCodeLength } from "../../cells/code-length.js";
import { extractCells, normalizeSource } from "../../cells/extract.js";
import { strip } from "../../clean/strip.js";
import { RecommenderError } from "../../errors.js";
import { labelNotebook } from "../../label/label-notebook.js";
import type { Labelling } from "../../label/labeller.js";
import { readNotebook } from "../../notebook/parse.js";
import type { AppDeps } from "../app.js";
import { checkCellCount, parseRequest, readJson } from "../parse-request.js";
import { labelBody } from "../schemas.js";

export function addLabels(app: Express, { labeller, store }: AppDeps): void {
  app.post("/v1/labels", (request, response) => {
    const body = parseRequest(labelBody, readJson(request));
    if ("code" in body) {
      checkCodeLength(body.code);
      response.json(toAnswer(labeller.label(strip(normalizeSource(body.code)).text, body.partial ? "prefix" : "cell")));
      return;
    }
    const parsed = readNotebook(body.notebook);
    if ("rejected" in parsed)
      throw new RecommenderError("NOT_A_NOTEBOOK", `The notebook is not taken: ${parsed.rejected.reason}`);
    checkCellCount("The notebook", parsed.notebook);
    const cells = extractCells(parsed.notebook);
    const labellings = labelNotebook(
      labeller,
      cells.map(({ code }) => strip(code).text),
    );
    response.json({ cells: cells.map(({ cellIndex }, at) => ({ index: cellIndex, ...toAnswer(labellings[at]!) })) });
  });

  app.get("/v1/labels", async (_request, response) => {
    const { labels } = await store.counts();
    response.json({ labels: labeller.labels.map((label) => ({ label, cells: labels[label] ?? 0 })) });
  });
}

function toAnswer({ primary, labels, probabilities }: Labelling) {
  return { primary, labels, probabilities };
}
