import { z } from "zod";
import { RecommenderError } from "../../../errors.js";
import { normalizeSource } from "../../../notebook/extract.js";
import { readJsonLines } from "../../../notebook/json-lines.js";
import type { NamedNotebook } from "../../../notebook/notebook.js";
import { strip } from "../../../python/strip.js";
import { splitAbove, spreadCells } from "../../notebook-context.js";
import type { PredictionCase } from "../../predictions/prediction-run.js";

/** A code cell, the Markdown above it, and the cells above both. */
export interface JuiceCase extends PredictionCase {
  readonly markdown: string;
  /** Nearest last; the Markdown of the case is not among them. */
  readonly context: readonly JuiceCell[];
}

interface JuiceCell {
  readonly type: "code" | "markdown";
  readonly source: string;
}

const ownSchema = z.object({
  id: z.string().min(1),
  notebook: z.string(),
  markdown: z.string(),
  context: z.array(z.object({ type: z.enum(["code", "markdown"]), source: z.string() })),
  reference: z.string(),
});

/** A line of JuICe's own files, without unused fields. The nearest cell of the context comes first. */
const publishedSchema = z.object({
  code: z.string(),
  context: z.array(z.object({ cell_type: z.string(), nl_original: z.string().nullish(), code: z.string().nullish() })),
  metadata: z.object({ path: z.string() }).partial().nullish(),
});

/** The cases of a JSON-lines file, in our format or JuICe's; INPUT_INVALID names a line that cannot be read. */
export function readJuiceCases(path: string): JuiceCase[] {
  const cases = readJsonLines(path, "cases", z.union([ownSchema, publishedSchema])).map(
    ({ line, value }): JuiceCase => {
      return "reference" in value ? value : fromPublished(value, line);
    },
  );
  if (cases.length > 0) return cases;
  throw new RecommenderError("INPUT_INVALID", `${path} has no cases; make some with: celrec eval build juice`);
}

function fromPublished({ code, context, metadata }: z.output<typeof publishedSchema>, line: number): JuiceCase {
  const cells = context.toReversed().flatMap(({ cell_type: type, nl_original: text, code: source }): JuiceCell[] => {
    if (type === "markdown") return [{ type, source: text ?? "" }];
    return type === "code" ? [{ type, source: source ?? "" }] : [];
  });
  const lastCode = cells.findLastIndex(({ type }) => type === "code");
  return {
    id: `line ${line}`,
    notebook: metadata?.path ?? `line ${line}`,
    markdown: cells
      .slice(lastCode + 1)
      .map(({ source }) => source)
      .join("\n\n"),
    context: cells.slice(0, lastCode + 1),
    reference: normalizeSource(code),
  };
}

const MAX_CONTEXT = 10;

/** Cases from notebooks: code cells with Markdown directly above, at most two per notebook. */
export function buildJuice(notebooks: readonly NamedNotebook[]): JuiceCase[] {
  return notebooks.flatMap(({ name, notebook: { cells } }) => {
    const suitable = cells.filter(
      ({ type, source, index }) =>
        type === "code" &&
        strip(source).text !== "" &&
        cells[index - 1]?.type === "markdown" &&
        cells[index - 1]!.source.trim() !== "",
    );
    return spreadCells(suitable).map((cell) => {
      const { context, markdown } = splitAbove(cells, cell);
      return {
        id: `${name}#${cell.index}`,
        notebook: name,
        markdown,
        context: context
          .filter(({ source }) => source.trim() !== "")
          .flatMap(({ type, source }): JuiceCell[] => (type === "other" ? [] : [{ type, source }]))
          .slice(-MAX_CONTEXT),
        reference: normalizeSource(cell.source),
      };
    });
  });
}
