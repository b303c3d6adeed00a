import type { SuiteDocument } from "../result-document.js";
import type { Report } from "./write-reports.js";

/** The document as JSON, formatted for diffs: one line per part, and one line per entry of a long list. */
export const json: Report = { name: "json", extensions: [".json"], render: renderJson };

/** Yields the text piece by piece; `--json` prints it, too. */
function* renderJson(document: SuiteDocument): Generator<string> {
  let before = "{\n";
  for (const [key, value] of Object.entries(document)) {
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(key)}: `;
    if (Array.isArray(value)) yield* renderList(value);
    else yield JSON.stringify(value);
    before = ",\n";
  }
  yield "\n}\n";
}

function* renderList(entries: readonly unknown[]): Generator<string> {
  let before = "[";
  for (const entry of entries) {
    yield `${before}\n  ${JSON.stringify(entry)}`;
    before = ",";
  }
  yield entries.length === 0 ? "[]" : "\n]";
}
