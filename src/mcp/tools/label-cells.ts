import { z } from "zod";
import type { LabelledCell } from "../../ask/answers.js";
import { fields } from "../../ask/fields.js";
import { type Given, givenFields, readGiven } from "../given-notebook.js";
import { defineTool, type Tool } from "../tool.js";

const { cells, path } = givenFields;
const probability = z.number().min(0).max(1);

/** With `hasFiles`, a notebook may be given by its path. */
export function labelCells(hasFiles: boolean): Tool {
  const given = hasFiles ? { cells, path } : { cells };
  return defineTool({
    name: "label_cells",
    title: "Label notebook cells",
    description:
      "Tells which machine-learning tasks each Python cell does (such as ingest_data, train_model), with probabilities, from the code alone.",
    scope: "read",
    input: fields(given),
    output: z.strictObject({
      cells: z.array(
        z.strictObject({
          index: z.int().min(0).describe("The position in the notebook, from 0."),
          labels: z.array(z.strictObject({ label: z.string(), probability })).describe("Most probable first."),
        }),
      ),
    }),
    async answer(input, { backend, signal }) {
      const notebook = readGiven(input as Given, Object.keys(given)) as Record<string, unknown>;
      const answer = await backend.label({ notebook }, signal);
      const labelled = "cells" in answer ? answer.cells : [{ index: 0, ...answer }];
      return {
        structured: { cells: labelled.map(({ index, labels }) => ({ index, labels: labels.map(round) })) },
        text: labelled.length === 0 ? "There is no code cell." : labelled.map(describe).join("\n"),
      };
    },
  });
}

function round<T extends { readonly probability: number }>(each: T): T {
  return { ...each, probability: Number(each.probability.toFixed(3)) };
}

function describe({ index, labels }: LabelledCell): string {
  const tasks = labels.map(({ label, probability: p }) => `${label} ${p.toFixed(2)}`);
  return `cell ${index}: ${tasks.join(", ") || "none"}`;
}
