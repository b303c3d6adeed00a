import type { Mutator } from "../src/evaluate/suite.js";
import { parses } from "../src/python/grammar.js";
import { maskMagics, tokenize } from "../src/python/tokenize.js";

/** Magics that change only the display of a cell. */
const MAGICS = ["%matplotlib inline", "%config InlineBackend.figure_format = 'retina'", "%precision 4"];

const addMagics: Mutator = {
  name: "add-magics",
  description: "Adds a line magic for the display before the cell.",
  kind: "preserving",
  apply: (code) => {
    const magic = MAGICS.find((line) => !code.includes(line));
    const [head] = tokenize(code);
    // Only comments may come before a __future__ import.
    if (magic === undefined || head === undefined || code.includes("__future__")) return code;
    // A cell magic must stay on the first line. Cells in other languages have no line magics.
    const isCellMagic = head.text.startsWith("%%");
    const at = isCellMagic ? head.end : 0;
    if (isCellMagic && (head.end >= code.trimEnd().length || code[head.end] !== "\n")) return code;
    const changed = isCellMagic ? `${code.slice(0, at)}\n${magic}${code.slice(at)}` : `${magic}\n${code}`;
    // After the insertion, a line that starts with % could be parsed as a magic, too.
    return parses(maskMagics(code)) && !parses(maskMagics(changed)) ? code : changed;
  },
};

export default addMagics;
