import { realpathSync } from "node:fs";
import type { SimilarAnswer } from "../../ask/answers.js";
import { DEFAULTS, LIMITS } from "../../ask/limits.js";
import { fields, integer } from "../../ask/parse-input.js";
import { describeEmpty } from "../backend.js";
import { type GivenNotebook, givenFields, REFUSED_PATH, readGiven } from "../given-notebook.js";
import { countCells, DATA_NOTICE, describeOrigin, fenceCode, shortId } from "../show-cells.js";
import { defineTool, type Tool } from "../tool.js";

/** One less than the limit, because the notebook itself may be among the results. */
const k = integer(1, LIMITS.k - 1)
  .default(DEFAULTS.similar)
  .describe("");

/** With `hasFiles`, a notebook may be given by its path. */
export function similarNotebooks(hasFiles: boolean): Tool {
  const { cells, path, notebook } = givenFields;
  const given = hasFiles ? { notebook, path, cells } : { notebook, cells };
  return defineTool({
    name: "similar_notebooks",
    description: "Indexed notebooks most like a whole one, given in one way; then open_cells.",
    scope: "read",
    input: fields({ ...given, k }),
    ...(!hasFiles && { refused: REFUSED_PATH }),
    async answer({ k: max, ...input }, { backend, signal }) {
      const asked = input as GivenNotebook;
      const query = await readGiven(backend, asked, Object.keys(given));
      const found = await backend.findSimilar({ notebook: query, k: max + 1 }, signal);
      // The given file itself is left out.
      const own = asked.path === undefined ? undefined : realpathSync(asked.path);
      const others = found.notebooks.filter(({ location }) => own === undefined || location !== own).slice(0, max);
      if (others.length === 0)
        return (await describeEmpty(backend)) ?? "No indexed notebook shares a cell with this one.";
      return [DATA_NOTICE, fenceCode(others.map(describe).join("\n"), "text")].join("\n");
    },
  });
}

function describe(notebook: SimilarAnswer["notebooks"][number], at: number): string {
  const { id, score, shared, inOrder, theirSteps } = notebook;
  const steps = [...new Set(theirSteps)];
  const facts = [
    `${at + 1}. ${shortId(id)}`,
    `score ${score.toFixed(2)}`,
    `${countCells(shared.length)} alike, ${inOrder} in the same order`,
    ...(shared.length === 0 ? [] : [`its cells ${shared.map(({ theirs }) => theirs).join(", ")}`]),
    ...(steps.length === 0 ? [] : [`also does ${steps.join(", ")}`]),
    describeOrigin(notebook),
  ];
  return facts.join("; ");
}
