import { type ReportTexts, writeReports } from "../../src/evaluate/reports/write-reports.js";
import type { SuiteDocument } from "../../src/evaluate/result-document.js";
import { suiteOf } from "../../src/evaluate/suites/index.js";

const NO_TEXTS: ReportTexts = { query: () => undefined, cell: () => undefined };

/** Writes a report as the command line does after a run. */
export function writeDocument(document: SuiteDocument, path: string, texts = NO_TEXTS): Promise<void> {
  const suite = suiteOf(document.suite);
  return writeReports(document, [path], suite.reports, () => suite.describe(document, texts));
}
