import { loadGrammar } from "../../python/grammar.js";
import type { ResultDocument } from "../result.js";
import { renderCelrec } from "./html/celrec.js";
import { renderLabels } from "./html/labels.js";
import { renderTyping } from "./html/typing.js";
import type { Report, ReportTexts } from "./report.js";

/** One page that needs nothing else: plots as inline SVG, no scripts, light and dark, printable. */
export const html: Report = {
  name: "html",
  extensions: [".html", ".htm"],
  async *render(document, texts) {
    // Code is coloured by our own lexer, which asks the parser about magics.
    await loadGrammar();
    yield* renderSuite(document, texts);
  },
};

function renderSuite(document: ResultDocument, texts: ReportTexts): Iterable<string> {
  switch (document.suite) {
    case "celrec":
      return renderCelrec(document, texts);
    case "typing":
      return renderTyping(document, texts);
    case "labels":
      return renderLabels(document);
  }
}
