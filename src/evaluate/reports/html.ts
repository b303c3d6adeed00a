import { loadGrammar } from "../../python/grammar.js";
import type { Report } from "./report.js";

/** One page that needs nothing else: plots as inline SVG, no scripts, light and dark, printable. */
export const html: Report = {
  name: "html",
  extensions: [".html", ".htm"],
  async *render(_, view) {
    // Code is coloured by our own lexer, which asks the parser about magics.
    await loadGrammar();
    yield* view.page();
  },
};
