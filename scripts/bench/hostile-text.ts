import { assetPath } from "../../src/config.js";
import { createLexicalEmbedder } from "../../src/embed/lexical.js";
import { createPiecesEmbedder } from "../../src/embed/pieces.js";
import { createLabeller } from "../../src/label/create-labeller.js";
import { labelNotebook } from "../../src/label/label-notebook.js";
import { normalizeSource } from "../../src/notebook/extract.js";
import { freeNames } from "../../src/python/name-roles.js";
import { profileCell } from "../../src/python/profile.js";
import { strip } from "../../src/python/strip.js";
import { subwords } from "../../src/python/subwords.js";
import { tokenize } from "../../src/python/tokenize.js";
import { profileQuery } from "../../src/recommend/features/query-profile.js";

/** Texts that, repeated many times, could cause quadratic time in careless code. */
export const HOSTILE_UNITS = [
  "a?",
  "a?\n",
  "(",
  "()",
  "({[",
  "(\n",
  "x(\n!",
  "'",
  "'\n",
  '"""',
  'f"{',
  "f'{a:{",
  "\\",
  "\\\n",
  "#\n",
  "%",
  "%a\n",
  "%%foo\n",
  "= !",
  "\n",
  " ",
  "\n    ",
  "if a:",
  "if a:\n ",
  "lambda ",
  "lambda:",
  "match x:",
  "(\nfrom ",
  "import a.",
  "a.",
  "a ",
  "a\n",
  "a;",
  "def f(): pass\n",
  "def f\n",
  "@",
  "1",
  "1.",
  "A",
  "aB",
  "\u044f",
  "\ud800",
  "\0",
];

/** The stages that process the code of a cell. */
export async function createStages(): Promise<Readonly<Record<string, (code: string) => unknown>>> {
  const pieces = await createPiecesEmbedder({ folder: assetPath("models/embedder") });
  const lexical = createLexicalEmbedder();
  const labeller = createLabeller();
  return {
    normalise: normalizeSource,
    tokenize,
    strip,
    label: (code) => labeller.label(code, "cell"),
    "label a notebook": (code) => [...labelNotebook(labeller, [code])],
    subwords,
    "free names": (code) => freeNames(tokenize(code)),
    embed: (code) => pieces.embed([code], "cell"),
    "embed by words": (code) => lexical.embed([code], "cell"),
    profile: profileCell,
    "profile of a query": (code) => profileQuery(code, { before: [code], markdown: code }, () => 1),
  };
}
