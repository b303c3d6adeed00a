import { fields, nameText } from "../../ask/parse-input.js";
import { readAddress } from "../resources.js";
import { defineTool } from "../tool.js";

export const openCells = defineTool({
  name: "open_cells",
  description: "A whole cell by its id; without the `/` and what follows, its notebook.",
  scope: "read",
  input: fields({ id: nameText(200).describe("") }),
  answer: ({ id }, { backend, signal }) => readAddress(backend, id, signal),
});
