import type { LabelledCell } from "../../ask/answers.js";
import { fields } from "../../ask/parse-input.js";
import { type GivenNotebook, givenFields, REFUSED_PATH, readGiven } from "../given-notebook.js";
import { defineTool, type Tool } from "../tool.js";

const { cells, path } = givenFields;

/** With `hasFiles`, a notebook may be given by its path. */
export function labelCells(hasFiles: boolean): Tool {
  const given = hasFiles ? { cells, path } : { cells };
  return defineTool({
    name: "label_cells",
    description: "Which machine-learning tasks each cell does, with probabilities.",
    scope: "read",
    input: fields(given),
    ...(!hasFiles && { refused: REFUSED_PATH }),
    async answer(input, { backend, signal }) {
      const notebook = (await readGiven(backend, input as GivenNotebook, Object.keys(given))) as Record<
        string,
        unknown
      >;
      const answer = await backend.label({ notebook }, signal);
      const labelled = "cells" in answer ? answer.cells : [{ index: 0, ...answer }];
      return labelled.length === 0 ? "There is no code cell." : labelled.map(describe).join("\n");
    },
  });
}

function describe({ index, labels }: LabelledCell): string {
  const tasks = labels.map(({ label, probability: p }) => `${label} ${p.toFixed(2)}`);
  return `cell ${index}: ${tasks.join(", ") || "none"}`;
}
