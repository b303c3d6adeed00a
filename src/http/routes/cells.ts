import type { Express } from "express";
import { RecommenderError } from "../../errors.js";
import type { AppDeps } from "../app.js";
import { parseRequest } from "../parse-request.js";
import { idParams } from "../schemas.js";

/** A cell such as `df.head()` stands in a hundred thousand notebooks. */
const MOST_OCCURRENCES = 1_000;

export function addCells(app: Express, { store }: AppDeps): void {
  app.get("/v1/cells/:id", async (request, response) => {
    const { id } = parseRequest(idParams, request.params);
    const [[cell], occurrences] = await Promise.all([
      store.cells([id]),
      store.occurrences(id, { limit: MOST_OCCURRENCES }),
    ]);
    if (cell === undefined) throw new RecommenderError("NOT_FOUND", `There is no cell ${id} in the index.`);
    response.json({
      ...cell,
      occurrences: occurrences.map(({ notebook, name, cellIndex }) => ({
        notebook: { id: notebook, name },
        cellIndex,
      })),
    });
  });
}
