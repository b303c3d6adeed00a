import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { checkReportPaths } from "../../../../src/evaluate/reports/write-reports.js";
import { parseResult } from "../../../../src/evaluate/suites/index.js";
import { labelsSuite } from "../../../../src/evaluate/suites/labels/labels-suite.js";
import { requires } from "../../../require.js";
import { writeDocument } from "../../write-document.js";
import { CELLS, labelsDocument } from "./sample.js";

const folder = mkdtempSync(join(tmpdir(), "celrec-labels-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function write(file: string, document = labelsDocument()): Promise<string> {
  const path = join(folder, file);
  await writeDocument(await document, path);
  return readFileSync(path, "utf8");
}

describe("the reports of labels", () => {
  it("has the document as json, and a sample of it in the repository", async () => {
    expect(parseResult(await write("a.json"), "a.json")).toEqual(await labelsDocument());
    const file = "examples/results/labels.json";
    expect(parseResult(readFileSync(file, "utf8"), file)).toEqual(await labelsDocument());
  });

  it("has every table in csv", async () => {
    const lines = (await write("a.csv")).split("\r\n");
    for (const line of [
      "summary,micro-f1,value,0.5",
      "summary,exact-set,high,0.5",
      "per label,a,recall,1",
      "per label,a,recall high,1",
      "calibration,a from 0.9,share true,1",
      "given instead,a for b,cells,1",
      "given instead,b for nothing,cells,1",
      "missed beside,a without b,cells,1",
      "prefixes by lines,2,met,0.5",
      "prefixes by label,b,prefixes,0",
      'worst cells,n2:0,code,"three\nx\ny"',
      "worst cells,n2:0,truth,(none)",
      'per cell,n1:1,truth,"a, b"',
      "manifest,config labeller,value,sample",
    ]) {
      expect(lines).toContain(line);
    }
    expect(lines.filter((line) => line.startsWith("manifest,k,"))).toEqual([]);
  });

  it("has the tables that people read in Markdown", async () => {
    const page = await write("a.md");
    expect(page).toContain("# Labelling cells\n");
    expect(page).toContain("| micro-f1 | 0.5000 [0.000, 0.800] |\n");
    expect(page).toContain("| n1:1 | missed | b | 0.2000 | a, b | a | two |\n");
    expect(page).not.toContain("## Per cell");
  });

  it("is written as xlsx, and has no TREC files", async () => {
    expect((await write("a.xlsx")).startsWith("PK")).toBe(true);
    await expect(checkReportPaths([join(folder, "a.run")], labelsSuite.reports)).rejects.toThrow(
      /No report format for ".*a\.run"/,
    );
  });
});

const executablePath = [process.env.CELREC_TEST_CHROMIUM, "/usr/bin/chromium", "/usr/bin/google-chrome"].find(
  (path) => path !== undefined && existsSync(path),
);
const hasChromium = requires("chromium", executablePath !== undefined, "set CELREC_TEST_CHROMIUM to a browser");

describe.skipIf(!hasChromium)("the page of labels in a browser", () => {
  it("shows every part and fits the screen", async () => {
    const cells = CELLS.map((cell) => ({ ...cell, labels: [...cell.labels, "<own>"] }));
    await write("page.html", labelsDocument({ cells }));
    const args = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
    const browser = await chromium.launch({
      executablePath: executablePath!,
      args: [...args, "--disable-background-networking"],
    });
    try {
      for (const width of [1280, 390]) {
        const page = await browser.newPage({ viewport: { width, height: 800 } });
        const errors: string[] = [];
        page.on("console", (message) => errors.push(message.text()));
        await page.goto(pathToFileURL(join(folder, "page.html")).href);
        const parts = await page.locator("section").evaluateAll((all) => all.map(({ id }) => id));
        expect(parts).toEqual([
          "summary",
          "labels",
          "calibration",
          "confusion",
          "prefixes",
          "worst",
          "latency",
          "problems",
          "manifest",
        ]);
        expect(await page.locator("figure").count()).toBe(7);
        expect(await page.locator(".multiples svg").count()).toBe(2);
        expect(await page.locator("#problems").innerText()).toContain("cells of the label <own>");
        expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
        expect(errors).toEqual([]);
        await page.close();
      }
    } finally {
      await browser.close();
    }
  });
});
