import type { Tool } from "./tool.js";
import { completeCode } from "./tools/complete-code.js";
import { forgetNotebooks } from "./tools/forget-notebooks.js";
import { indexNotebooks } from "./tools/index-notebooks.js";
import { indexStatus } from "./tools/index-status.js";
import { labelCells } from "./tools/label-cells.js";
import { openCells } from "./tools/open-cells.js";
import { recommendCells } from "./tools/recommend-cells.js";
import { searchCells } from "./tools/search-cells.js";
import { similarNotebooks } from "./tools/similar-notebooks.js";

const makeTools = (hasFiles: boolean): readonly Tool[] => [
  recommendCells,
  completeCode,
  searchCells,
  openCells,
  similarNotebooks(hasFiles),
  labelCells(hasFiles),
  indexNotebooks(hasFiles),
  forgetNotebooks,
  indexStatus,
];

/** All tools for agents. */
export const TOOLS = makeTools(false);
/** All tools for agents that may read local files. */
export const TOOLS_WITH_FILES = makeTools(true);
