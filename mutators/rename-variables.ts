import type { Mutator } from "../src/evaluate/suite.js";
import { freeNames } from "../src/python/name-roles.js";
import { tokenize } from "../src/python/tokenize.js";
import { applyEdits } from "./syntax/edits.js";

const renameVariables: Mutator = {
  name: "rename-variables",
  description: "Adds the prefix new_ to every name except builtins, attributes, keyword arguments and module paths.",
  // Imported names get the prefix too, and names inside f-strings do not, so the cell no longer runs.
  kind: "degrading",
  apply: (code) =>
    applyEdits(
      code,
      freeNames(tokenize(code)).map(({ start }) => ({ start, end: start, text: "new_" })),
    ),
};

export default renameVariables;
