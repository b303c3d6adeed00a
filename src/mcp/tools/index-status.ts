import { z } from "zod";
import { fields } from "../../ask/fields.js";
import { defineTool } from "../tool.js";

const count = z.int().min(0);

export const indexStatus = defineTool({
  name: "index_status",
  title: "Status of the index",
  description: "Tells what the user's index holds and where it is: notebooks, cells, cells per task.",
  scope: "read",
  input: fields({}),
  output: z.strictObject({
    place: z.string().describe("What answers: a service or the index itself."),
    notebooks: count,
    cells: count,
    occurrences: count.describe("Places where cells stand."),
    labels: z.record(z.string(), count).describe("Cells per label."),
    embedder: z.string(),
    store: z.string(),
  }),
  async answer(_input, { backend }) {
    const { notebooks, cells, occurrences, labels, embedder, store } = await backend.stats();
    const place = await backend.place();
    const tasks = Object.entries(labels).map(([label, held]) => `${label} ${held}`);
    const text = [
      `${place}: ${notebooks} notebooks, ${cells} cells.`,
      cells === 0 ? "It is empty; index_notebooks fills it." : `Cells per task: ${tasks.join(", ")}.`,
    ].join("\n");
    return {
      structured: {
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
