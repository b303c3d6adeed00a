import { fields } from "../../ask/parse-input.js";
import { describeEmpty } from "../backend.js";
import { DATA_NOTICE, fenceCode, quoteName } from "../show-cells.js";
import { defineTool } from "../tool.js";

const SHOWN_SOURCES = 10;

export const indexStatus = defineTool({
  name: "index_status",
  description: "What is indexed, by task and source.",
  scope: "read",
  input: fields({}),
  async answer(_input, { backend }) {
    const [stats, listed, place] = await Promise.all([backend.stats(), backend.listSources(), backend.place()]);
    const { notebooks, cells, labels, embedder, store } = stats;
    const tasks = Object.entries(labels).map(([label, held]) => `${label} ${held}`);
    const sources = listed.sources.toSorted((one, other) => other.notebooks - one.notebooks);
    const more = sources.length - SHOWN_SOURCES;
    const lines = [
      ...sources.slice(0, SHOWN_SOURCES).map(describeSource),
      ...(more > 0 ? [`and ${more} more sources`] : []),
    ];
    return [
      `${place}: ${notebooks} notebooks, ${cells} cells (embedder ${embedder.id}, store ${store.name}).`,
      (await describeEmpty(backend)) ?? `Cells per task: ${tasks.join(", ")}.`,
      ...(lines.length === 0 ? [] : [`Sources. ${DATA_NOTICE}`, fenceCode(lines.join("\n"), "text")]),
    ].join("\n");
  },
});

interface SourceLine {
  readonly source: string;
  readonly notebooks: number;
  readonly lastSync: string | null;
}

function describeSource({ source, notebooks, lastSync }: SourceLine): string {
  return `${quoteName(source)}: ${notebooks} notebooks${lastSync === null ? "" : `, indexed ${lastSync}`}`;
}
