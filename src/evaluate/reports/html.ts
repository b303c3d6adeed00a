import { loadGrammar } from "../../clean/grammar.js";
import { renderCelrec } from "./html/celrec.js";
import { renderTyping } from "./html/typing.js";
import type { Report } from "./report.js";

/** One page that needs nothing else: plots as inline SVG, no scripts, light and dark, printable. */
export const html: Report = {
  name: "html",
  extensions: [".html", ".htm"],
  async *render(document, texts) {
    // Code is coloured by our own lexer, which asks the parser about magics.
    await loadGrammar();
    yield* document.suite === "celrec" ? renderCelrec(document, texts) : renderTyping(document, texts);
  },
};
