import type { Express } from "express";
import { RecommenderError } from "../../errors.js";
import { presetDefaults } from "../../recommend/preset.js";
import { findPlace } from "../../recommend/stored-query.js";
import type { AppDeps } from "../app.js";
import { checkCodeLength, parseRequest, readJson } from "../parse-request.js";
import { recommendBody } from "../schemas.js";

export function addRecommendations(app: Express, { config, store, labeller, recommend }: AppDeps): void {
  const defaults = presetDefaults(config.preset);
  app.post("/v1/recommendations", async (request, response) => {
    const body = parseRequest(recommendBody, readJson(request));
    if (body.label !== undefined && !labeller.labels.includes(body.label))
      throw unknownLabel(body.label, labeller.labels);
    if ("code" in body) checkCodeLength(body.code);
    const query =
      "code" in body ? { code: body.code, exclude: {} } : await findPlace(store, body.notebook, body.cellIndex);
    const exclude = { ...query.exclude, ...(body.exclude && { notebooks: body.exclude.notebooks }) };
    response.json(
      await recommend({
        code: query.code,
        k: body.k,
        filter: body.filter ?? defaults.filter,
        collapse: body.collapse ?? defaults.collapse,
        ...(body.label !== undefined && { label: body.label }),
        exclude,
      }),
    );
  });
}

function unknownLabel(label: string, known: readonly string[]): RecommenderError {
  const message = `${JSON.stringify(label)} is not a label; the labels are ${known.join(", ")}.`;
  return new RecommenderError("INPUT_INVALID", message, { problems: [{ pointer: "/label", message }] });
}
