import { z } from "zod";
import { fields } from "../../ask/fields.js";
import { quoteName, showUnseen } from "../show-cells.js";
import { defineTool } from "../tool.js";

const count = z.int().min(0);
const MAX_SOURCES = 50;
const SHOWN_SOURCES = 10;

export const indexStatus = defineTool({
  name: "index_status",
  title: "Status of the index",
  description: "Describes the user's index: where it is, notebooks, cells, cells per task, sources.",
  scope: "read",
  input: fields({}),
  output: z.strictObject({
    place: z.string().describe("The service or index that answers."),
    notebooks: count,
    cells: count,
    occurrences: count.describe("Occurrences of cells."),
    labels: z.record(z.string(), count).describe("Cells per label."),
    sources: z
      .array(z.strictObject({ source: z.string(), notebooks: count, cells: count, lastSync: z.string().nullable() }))
      .describe(
        "At most 50 sources, those with most notebooks first, and when each was last indexed from this machine.",
      ),
    embedder: z.string(),
    store: z.string(),
  }),
  async answer(_input, { backend }) {
    const [stats, listed, place] = await Promise.all([backend.stats(), backend.listSources(), backend.place()]);
    const { notebooks, cells, occurrences, labels, embedder, store } = stats;
    const sources = listed.sources
      .toSorted((one, other) => other.notebooks - one.notebooks)
      .slice(0, MAX_SOURCES)
      .map((each) => ({
        source: showUnseen(each.source),
        notebooks: each.notebooks,
        cells: each.cells,
        lastSync: each.lastSync,
      }));
    const tasks = Object.entries(labels).map(([label, held]) => `${label} ${held}`);
    const more = listed.sources.length - Math.min(SHOWN_SOURCES, sources.length);
    const text = [
      `${place}: ${notebooks} notebooks, ${cells} cells.`,
      cells === 0 ? "It is empty; add notebooks with index_notebooks." : `Cells per task: ${tasks.join(", ")}.`,
      ...sources.slice(0, SHOWN_SOURCES).map(describeSource),
      ...(more === 0 ? [] : [`- and ${more} more sources`]),
    ].join("\n");
    return {
      structured: {
        sources,
        place,
        notebooks,
        cells,
        occurrences,
        labels: { ...labels },
        embedder: embedder.id,
        store: store.name,
      },
      text,
    };
  },
});

interface SourceLine {
  readonly source: string;
  readonly notebooks: number;
  readonly lastSync: string | null;
}

function describeSource({ source, notebooks, lastSync }: SourceLine): string {
  return `- source ${quoteName(source)}: ${notebooks} notebooks${lastSync === null ? "" : `, indexed ${lastSync}`}`;
}
