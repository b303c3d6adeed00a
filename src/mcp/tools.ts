import type { Tool } from "./tool.js";
import { indexNotebooks } from "./tools/index-notebooks.js";
import { indexStatus } from "./tools/index-status.js";
import { labelCells } from "./tools/label-cells.js";
import { recommendCells } from "./tools/recommend-cells.js";
import { searchCells } from "./tools/search-cells.js";
import { similarNotebooks } from "./tools/similar-notebooks.js";

/** Everything that agents can call; with `hasFiles` they may name files of this machine. */
export function createTools({ hasFiles }: { readonly hasFiles: boolean }): readonly Tool[] {
  return [
    recommendCells,
    searchCells,
    similarNotebooks(hasFiles),
    labelCells(hasFiles),
    indexNotebooks(hasFiles),
    indexStatus,
  ];
}
