import { asRecord, asString } from "./json.js";

/** Kernels whose name tells the language where the metadata does not. An environment called "iris" is not the kernel "ir". */
const FOREIGN_KERNEL =
  /^(i?r|julia|scala|spylon|bash|octave|matlab|sas|stata|xcpp|root(?:cpp)?|ijavascript|javascript|jslab|deno|gophernotes|rust|kotlin|java|ruby|iruby|\.net|perl|haskell|ihaskell|sql|sos|maxima|wolfram(?:language)?)(?![a-z])/i;
const PYTHON = /^(i?python|pypy|cython|sage|pyspark|xpython|micropython)/i;

/**
 * The language of a notebook, or null where it is Python. The kernel decides; `language_info` is asked only where it
 * names a language at all (editors write "plaintext" there), and the names of kernels only where nothing else is said.
 */
export function foreignLanguage(metadata: unknown): string | null {
  const kernel = asRecord(asRecord(metadata)?.kernelspec);
  const info = asRecord(asRecord(metadata)?.language_info);
  const language = asString(kernel?.language) ?? plainName(asString(info?.name));
  if (language !== null) return PYTHON.test(language) ? null : language;
  // nbformat 3 had no kernels; IJulia wrote the language beside the notebook's name.
  const name = asString(kernel?.name) ?? asString(asRecord(metadata)?.language);
  return name !== null && FOREIGN_KERNEL.test(name) ? name : null;
}

function plainName(name: string | null): string | null {
  return name === null || /^(plaintext|text)$/i.test(name) ? null : name;
}
