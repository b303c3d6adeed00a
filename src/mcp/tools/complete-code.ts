import { completeAnswer } from "../../ask/answers.js";
import { completeRequest } from "../../ask/requests.js";
import type { Completion } from "../../complete/request.js";
import { DATA_NOTICE, fenceCode, showUnseen } from "../show-cells.js";
import { defineTool } from "../tool.js";

export const completeCode = defineTool({
  name: "complete_code",
  title: "Complete code at the cursor",
  description:
    "Continues the Python code of a notebook cell at the cursor, in the user's own names, from their indexed notebooks and the cells around it. Use it for the rest of a line; use recommend_cells for whole cells. An empty list means that no completion is likely enough.",
  scope: "read",
  input: completeRequest,
  output: completeAnswer.pick({ completions: true }),
  async answer(request, { backend, signal }) {
    const { completions } = await backend.complete(request, signal);
    const structured = { completions: completions.map((each) => ({ ...each, cells: [...each.cells] })) };
    return { structured, text: describe(completions) };
  },
});

function describe(completions: readonly Completion[]): string {
  if (completions.length === 0) return "No completion is likely enough.";
  const shown = completions.map(
    ({ text, confidence, from }) =>
      `${Math.round(confidence * 100)} % likely, from the ${from}:\n${fenceCode(showUnseen(text))}`,
  );
  return [DATA_NOTICE, ...shown].join("\n\n");
}
