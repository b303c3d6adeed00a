import type { Mutator } from "../src/evaluate/suite.js";
import { rewriteTokens } from "./syntax/edits.js";

const STRING = /^(\w*)('''|"""|'|")(.*)\2$/s;

const changeQuotes: Mutator = {
  name: "change-quotes",
  description: "Replaces 'single' quotes by \"double\" quotes, and the reverse.",
  kind: "preserving",
  apply: (code) =>
    rewriteTokens(code, ({ kind, text, start, end }) => {
      const [, prefix, quote, body] = (kind === "string" && STRING.exec(text)) || [];
      // Strings that contain a quote or end in a backslash are left unchanged, because they would need escaping.
      if (quote === undefined || /['"]|\\$/.test(body!)) return null;
      // Next to the quotes of another string, an empty string would become the start of a triple-quoted one.
      if (body === "" && /['"]/.test((code[start - 1] ?? "") + (code[end] ?? ""))) return null;
      const other = (quote[0] === "'" ? '"' : "'").repeat(quote.length);
      return prefix + other + body + other;
    }),
};

export default changeQuotes;
