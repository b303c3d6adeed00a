import { asRecord, asString } from "./json.js";

/** Kernels whose name tells the language where the metadata does not. */
const FOREIGN_KERNEL =
  /^(ir|julia|scala|spylon|bash|octave|matlab|sas|stata|xcpp|root|ijavascript|javascript|jslab|deno|gophernotes|rust|kotlin|java|ruby|iruby|\.net|perl|haskell|ihaskell|sql|sos|maxima|wolfram)/i;
const PYTHON = /^(i?python|pypy|cython|sage|pyspark|xpython|micropython)/i;

/**
 * The language of a notebook, or null where it is Python. The kernel decides; `language_info` is asked only where it
 * names a language at all (editors write "plaintext" there).
 */
export function foreignLanguage(metadata: unknown): string | null {
  const kernel = asRecord(asRecord(metadata)?.kernelspec);
  const info = asRecord(asRecord(metadata)?.language_info);
  const language = asString(kernel?.language) ?? plainName(asString(info?.name));
  if (language !== null) return PYTHON.test(language) ? null : language;
  const name = asString(kernel?.name);
  return name !== null && FOREIGN_KERNEL.test(name) ? name : null;
}

function plainName(name: string | null): string | null {
  return name === null || /^(plaintext|text)$/i.test(name) ? null : name;
}
