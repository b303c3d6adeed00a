import { realpathSync } from "node:fs";
import { z } from "zod";
import type { SimilarAnswer } from "../../ask/answers.js";
import { fields, integer } from "../../ask/fields.js";
import { DEFAULTS, LIMITS } from "../../ask/limits.js";
import { type Given, givenFields, readGiven } from "../given-notebook.js";
import { describeOrigin, provenance, quoteName, showOrigin } from "../show-cells.js";
import { defineTool, type Tool } from "../tool.js";

const count = z.int().min(0);
/** One less than the limit, because the notebook itself may be among the results. */
const k = integer(1, LIMITS.k - 1)
  .default(DEFAULTS.similar)
  .describe("How many notebooks to return at most.");

/** With `hasFiles`, a notebook may be given by its path. */
export function similarNotebooks(hasFiles: boolean): Tool {
  const { cells, path, notebook } = givenFields;
  const given = hasFiles ? { notebook, path, cells } : { notebook, cells };
  return defineTool({
    name: "similar_notebooks",
    title: "Find similar notebooks",
    description:
      "Finds the indexed notebooks most like a whole one, with the cells they share and the tasks that only they do. Read one with the resource celrec://notebook/{id}.",
    scope: "read",
    input: fields({ ...given, k }),
    output: z.strictObject({
      notebooks: z.array(
        provenance.omit({ cellIndex: true }).extend({
          score: z
            .number()
            .min(0)
            .max(1)
            .describe("How much the two notebooks share: the same words in the same order."),
          shared: z
            .array(z.strictObject({ cellIndex: count, theirs: count }))
            .describe("Pairs of similar cells, by their positions."),
          inOrder: count.describe("How many of those are in the same order in both."),
          theirSteps: z.array(z.string()).describe("Tasks that only they do."),
        }),
      ),
    }),
    async answer({ k: most, ...input }, { backend, signal }) {
      const asked = input as Given;
      const notebook = readGiven(asked, Object.keys(given));
      const found = await backend.findSimilar({ notebook, k: most + 1 }, signal);
      // The given file itself is left out.
      const own = asked.path === undefined ? undefined : realpathSync(asked.path);
      const others = found.notebooks.filter(({ location }) => own === undefined || location !== own);
      const notebooks = others.slice(0, most).map(toShow);
      const lines = notebooks.map(describe);
      return {
        structured: { notebooks },
        text: lines.length === 0 ? "No indexed notebook shares a cell with this one." : lines.join("\n"),
      };
    },
  });
}

type Found = SimilarAnswer["notebooks"][number];

function toShow(found: Found) {
  return {
    ...showOrigin(found),
    score: Number(found.score.toFixed(3)),
    shared: found.shared.map(({ cellIndex, theirs }) => ({ cellIndex, theirs })),
    inOrder: found.inOrder,
    theirSteps: [...new Set(found.theirSteps)],
  };
}

function describe(notebook: ReturnType<typeof toShow>, at: number): string {
  const { id, source, name, location, score, shared, inOrder, theirSteps } = notebook;
  const facts = [
    `score ${score.toFixed(2)}`,
    `${shared.length} cells alike, ${inOrder} in the same order`,
    ...(theirSteps.length === 0 ? [] : [`also does ${theirSteps.join(", ")}`]),
    ...describeOrigin(notebook),
  ];
  return `${at + 1}. ${quoteName(location ?? `${source}/${name}`)}; ${facts.join("; ")}; celrec://notebook/${id}`;
}
