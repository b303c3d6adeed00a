import { fields } from "../../ask/parse-input.js";
import { completeRequest } from "../../ask/requests.js";
import type { Completion } from "../../complete/completion-request.js";
import { DATA_NOTICE, fenceCode, showUnseen } from "../show-cells.js";
import { defineTool } from "../tool.js";

const { prefix, suffix, k, maxLines, context } = completeRequest.shape;
const { before, after } = context.unwrap().shape;

export const completeCode = defineTool({
  name: "complete_code",
  description: "The rest of the line at the cursor. For whole cells call recommend_cells.",
  scope: "read",
  input: fields({
    prefix: prefix.describe("The cell so far."),
    suffix: suffix.describe(""),
    before: before.describe("Code cells above."),
    after: after.describe(""),
    maxLines: maxLines.describe(""),
    k: k.describe(""),
  }),
  async answer({ before: above, after: below, ...request }, { backend, signal }) {
    const { completions } = await backend.complete({ ...request, context: { before: above, after: below } }, signal);
    return describe(completions);
  },
});

function describe(completions: readonly Completion[]): string {
  if (completions.length === 0) return "No completion is likely enough; write it yourself.";
  const shown = completions.map(
    ({ text, confidence, from }) =>
      `${Math.round(confidence * 100)} % likely, from the ${from}:\n${fenceCode(showUnseen(text))}`,
  );
  return [DATA_NOTICE, ...shown].join("\n\n");
}
