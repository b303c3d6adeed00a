import type { Express } from "express";
import { checkCodeLength } from "../../cells/code-length.js";
import { checkLabel } from "../../recommend/label-filter.js";
import { presetDefaults } from "../../recommend/preset.js";
import { readStoredQuery } from "../../recommend/stored-query.js";
import type { AppDeps } from "../app.js";
import { parseRequest, readJson } from "../parse-request.js";
import { recommendBody } from "../schemas.js";

export function addRecommendations(app: Express, { config, store, labeller, recommend }: AppDeps): void {
  const defaults = presetDefaults(config.preset);
  app.post("/v1/recommendations", async (request, response) => {
    const body = parseRequest(recommendBody, readJson(request));
    checkLabel(body.label, labeller.labels);
    if ("code" in body) checkCodeLength(body.code);
    const query =
      "code" in body
        ? { code: body.code, context: { before: [] }, exclude: {} }
        : await readStoredQuery(store, body.notebook, body.cellIndex);
    const { before = query.context.before, markdown = "" } = body.context ?? {};
    response.json(
      await recommend({
        code: query.code,
        k: body.k,
        label: body.label,
        filter: body.filter ?? defaults.filter,
        mode: body.mode ?? defaults.mode,
        collapse: body.collapse ?? defaults.collapse,
        diversity: body.diversity,
        minConfidence: body.minConfidence,
        context: { before, markdown },
        exclude: { ...query.exclude, ...body.exclude },
        explain: body.explain,
      }),
    );
  });
}
