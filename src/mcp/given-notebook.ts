import type { z } from "zod";
import { anyText, hexId, list, nameText } from "../ask/fields.js";
import { LIMITS } from "../ask/limits.js";
import { RecommenderError } from "../errors.js";
import { readNotebookFile } from "../notebook/formats.js";
import type { NotebookFile } from "../notebook/notebook.js";

/** The ways to name a notebook. A path is only for agents on the user's own machine. */
export const givenFields = {
  cells: list(anyText(), LIMITS.cells, "strings").optional().describe("Code cells in the order of the notebook."),
  path: nameText(4_096).optional().describe("A notebook file (.ipynb, or .py with cells) on this machine."),
  notebook: hexId().optional().describe("The id of an indexed notebook."),
};

export type Given = z.output<z.ZodObject<typeof givenFields>>;
type Ipynb = Record<string, unknown>;

/** An id, or the JSON of an ipynb file. INPUT_INVALID unless exactly one way is used. */
export function readGiven(given: Partial<Given>, ways: readonly string[]): string | Ipynb {
  const used = Object.entries(given).filter(([, value]) => value !== undefined);
  if (used.length !== 1) throw new RecommenderError("INPUT_INVALID", `Give exactly one of ${ways.join(", ")}.`);
  const { cells, path, notebook } = given;
  if (notebook !== undefined) return notebook;
  if (cells !== undefined) return toIpynb({ cells: cells.map((source, index) => ({ index, type: "code", source })) });
  const parsed = readNotebookFile(path!);
  if ("notebook" in parsed) return toIpynb(parsed.notebook);
  throw new RecommenderError("NOT_A_NOTEBOOK", `${path} was rejected: ${parsed.rejected.reason}`);
}

/** A notebook as the JSON of an ipynb file, without outputs. */
export function toIpynb({ cells }: NotebookFile): Ipynb {
  const types = { code: "code", markdown: "markdown", other: "raw" } as const;
  return {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {},
    cells: cells.map(({ type, source }) => ({
      cell_type: types[type],
      metadata: {},
      source,
      ...(type === "code" && { outputs: [], execution_count: null }),
    })),
  };
}
