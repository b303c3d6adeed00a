import { deepStrictEqual, ok } from "node:assert";
import type { Embedder } from "../../src/embed/embedder.js";
import type { Labeller } from "../../src/label/labeller.js";
import { cellId, normalizeSource } from "../../src/notebook/extract.js";
import { profileCell } from "../../src/python/profile.js";
import { strip } from "../../src/python/strip.js";
import { tokenize } from "../../src/python/tokenize.js";
import { profileQuery } from "../../src/recommend/features/query-profile.js";

/** Maximum words of a profile: the limit, plus the words of the token that exceeded it. */
const MAX_WORDS = 1500 + 6000;

/**
 * Runs a text through all stages twice. Throws if a stage fails, gives a different result the second time, or its
 * result is larger than allowed.
 */
export async function checkCell(text: string, labeller: Labeller, embedder: Embedder): Promise<void> {
  const code = normalizeSource(text);
  deepStrictEqual(normalizeSource(code), code);
  deepStrictEqual(cellId(code), cellId(text));
  ok(tokenize(code).length <= code.length, "more tokens than characters");

  const clean = strip(code);
  ok(clean.text.length <= code.length, "cleaning made the text longer");
  deepStrictEqual(strip(clean.text).text, clean.text);

  const once = await readCell(code, clean.text, labeller, embedder);
  deepStrictEqual(await readCell(code, clean.text, labeller, embedder), once);
  for (const probability of Object.values(once.labelling.probabilities)) ok(probability >= 0 && probability <= 1);
  for (const value of once.vector ?? []) ok(Number.isFinite(value), "the vector is not of unit length");
  ok(
    once.profile.words.length <= MAX_WORDS && once.profile.remarks.length <= MAX_WORDS,
    "the profile exceeds its limits",
  );
}

async function readCell(code: string, clean: string, labeller: Labeller, embedder: Embedder) {
  const [vector] = await embedder.embed([clean], "cell");
  const { parts } = profileQuery(code, { before: [code], markdown: code }, () => 1);
  return {
    labelling: labeller.label(clean, "cell"),
    prefix: labeller.label(clean, "prefix"),
    vector,
    profile: profileCell(code),
    parts,
  };
}
