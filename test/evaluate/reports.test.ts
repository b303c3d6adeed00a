import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { inflateRawSync } from "node:zlib";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkReportPaths, type ReportTexts } from "../../src/evaluate/reports/write-reports.js";
import { parseResult, type ResultDocument, suiteOf } from "../../src/evaluate/suites/index.js";
import type { TypingResult } from "../../src/evaluate/suites/typing/typing-result.js";
import { requires } from "../require.js";
import { celrecDocument, typingDocument } from "./documents.js";
import { writeDocument } from "./write-document.js";

const folder = mkdtempSync(join(tmpdir(), "celrec-reports-"));
afterAll(() => rmSync(folder, { recursive: true }));

const texts: ReportTexts = {
  query: (id) => `query ${id}`,
  cell: (id) => `# <b>cell</b> ${id}\n%matplotlib inline\nx = "${id}"`,
  expected: (id) => `expected ${id}`,
};

async function write(document: ResultDocument, file: string): Promise<string> {
  const path = join(folder, file);
  await writeDocument(document, path, texts);
  return readFileSync(path, "utf8");
}

describe("every report", () => {
  const cases = [celrecDocument(), typingDocument()].flatMap((document) =>
    suiteOf(document.suite).reports.map(
      (report) => [report.name, document.suite, report.extensions[0]!, document] as const,
    ),
  );

  it.each(cases)("%s of %s is written, and the same every time", async (_, suite, extension, document) => {
    const [first, second] = [
      await write(document, `${suite}-1${extension}`),
      await write(document, `${suite}-2${extension}`),
    ];
    expect(first.length).toBeGreaterThan(10);
    // An .xlsx file is a zip archive, which contains the time of writing.
    if (extension !== ".xlsx") expect(second).toBe(first);
    expect(existsSync(join(folder, `${suite}-1${extension}.part`))).toBe(false);
  });
});

describe("json", () => {
  it.each([celrecDocument(), typingDocument()])("is the document of $suite", async (document) => {
    expect(parseResult(await write(document, "a.json"), "a.json")).toEqual(document);
  });

  it("matches the sample documents of the repository", () => {
    for (const suite of ["celrec", "typing"]) {
      const file = `examples/results/${suite}.json`;
      expect(parseResult(readFileSync(file, "utf8"), file).suite).toBe(suite);
    }
    const file = "examples/results/typing.json";
    expect(parseResult(readFileSync(file, "utf8"), file)).toEqual(typingDocument());
  });

  it("reads results of typing from before they had confidences", async () => {
    const { confidence: _, cases, ...rest } = typingDocument();
    const older = { ...rest, cases: cases.map(({ confidences: _c, useful: _u, ...each }) => each) };
    const read = parseResult(JSON.stringify(older), "older.json") as TypingResult;
    expect(read.confidence).toBeNull();
    expect(read.cases[0]).toMatchObject({ confidences: [], useful: null });
  });
});

describe("csv", () => {
  it("contains every table, one value per line", async () => {
    const lines = (await write(celrecDocument(), "a.csv")).split("\r\n");
    expect(lines[0]).toBe("table,row,column,value");
    expect(lines).toContain("summary,recall@3,ceiling,0.8666666666666666");
    expect(lines).toContain("per seed,b.py,hit-rate@3,0.6666666666666666");
    expect(lines).toContain("per query,b.py:1,mrr@3,0.5");
    expect(lines).toContain("per query,b.py:1,results,x:1 b1:5 y:1");
    expect(lines).toContain("per query,b.py:1,FN,1");
    expect(lines).toContain("confusion matrix,all queries,TN,33");
    expect(lines).toContain("per lines,2,queries,2");
    expect(lines).toContain("per label,(none),precision@3,0.6666666666666666");
    expect(lines).toContain("per operator,rename-variables,found in train_model,0.5");
    expect(lines).toContain(`manifest,sha256 of seed a.py,value,${"a".repeat(64)}`);
    expect(lines).toContain('manifest,config mutators,value,"rename-variables, insert-comments, reverse-lines"');
  });
});

describe("the tables of typing", () => {
  it("have the confidence, with and without copies", async () => {
    const lines = (await write(typingDocument(), "t.csv")).split("\r\n");
    // The confidences are .05, .35 and .45. Only the last hit is useful.
    expect(lines).toContain(`summary,celrec,ece (lower is better),${(0.05 + 0.35 + 0.55) / 3}`);
    expect(lines).toContain(`summary,"celrec, without copies",ece (lower is better),${(0.05 + 0.55) / 2}`);
    expect(lines).toContain("confidence,all cases from 0.3,share useful,0");
    expect(lines).toContain("confidence,all cases from 0.4,mean confidence,0.45");
    expect(lines).not.toContain("confidence,without copies from 0.3,hits,0");
    expect(lines).toContain("min confidence,all cases from 0.1,cases answered,1");
    expect(lines).toContain("min confidence,all cases from 0.1,share useful,0.5");
    expect(lines).toContain("min confidence,all cases from 0.4,cases answered,0.5");
    expect(lines).toContain("min confidence,without copies from 0.4,cases helped,1");
    expect(lines).toContain("per case,n1:3,confidences,0.4500 0.0500");
    expect(lines).toContain("per case,n1:3,useful,yes no");
    expect(await write(typingDocument(), "t.md")).toContain(
      "| all cases from 0.4 | all cases | 0.4000 | 0.5000 | 1 | 0.4500 | 1.0000 |\n",
    );
  });

  it("have no confidence if the target gives none", async () => {
    const page = await write({ ...typingDocument(), confidence: null }, "t.md");
    expect(page).not.toContain("onfidence");
    expect(await write({ ...typingDocument(), confidence: null }, "t.html")).not.toContain('id="confidence"');
  });
});

describe("xlsx", () => {
  it("has a sheet for every view and one for the manifest", async () => {
    await write(celrecDocument(), "a.xlsx");
    const workbook = unzip(readFileSync(join(folder, "a.xlsx")), "xl/workbook.xml");
    expect([...workbook.matchAll(/<sheet [^>]*name="([^"]+)"/g)].map(([, name]) => name)).toEqual([
      "summary",
      "confusion matrix",
      "correlation with lines",
      "per lines",
      "per operator",
      "per label",
      "per seed",
      "confusion matrix per query",
      "per query",
      "manifest",
    ]);
    // There are five queries and a heading row.
    expect(unzip(readFileSync(join(folder, "a.xlsx")), "xl/worksheets/sheet9.xml").match(/<row /g)).toHaveLength(6);
  });
});

describe("xlsx of odd names", () => {
  it("contains only characters that XML allows", async () => {
    const document = celrecDocument();
    document.queries[0]!.id = "a\x07<b>&\ud800";
    await write(document, "odd.xlsx");
    const archive = readFileSync(join(folder, "odd.xlsx"));
    const text = unzip(archive, "xl/worksheets/sheet9.xml") + unzip(archive, "xl/sharedStrings.xml");
    expect(text).toContain("<t>a&lt;b&gt;&amp;</t>");
    expect(text).not.toContain("\x07");
  });
});

describe("text that looks like a formula", () => {
  it.each(["=1+1", "+1", "-1", "@sum(1)"])("stays text in a spreadsheet: %s", async (text) => {
    const document = celrecDocument();
    document.queries[0]!.id = text;
    await write(document, "formula.xlsx");
    const archive = readFileSync(join(folder, "formula.xlsx"));
    const sheet = unzip(archive, "xl/worksheets/sheet9.xml");
    expect(sheet).not.toContain("<f>");
    expect(unzip(archive, "xl/sharedStrings.xml")).toContain(`<t>${text}</t>`);
    const lines = (await write(document, "formula.csv")).split("\r\n");
    expect(lines.some((line) => line.startsWith(`per query,'${text},`))).toBe(true);
  });
});

describe("md", () => {
  it("shows the summary as a table", async () => {
    const page = await write(celrecDocument(), "a.md");
    expect(page).toContain("| metric | celrec | ceiling |\n| --- | ---: | ---: |\n");
    expect(page).toContain("| precision@3 | 0.4667 [0.333, 0.667] | 0.6667 |\n");
    expect(page).toContain("| all queries | 7 | 5 | 5 | 33 |\n");
    expect(page).toContain("| b.py:3 | 2 | 1 | 0 | 7 |\n");
    expect(page).toContain("| version celrec | 0.1.0 |\n");
  });
});

describe("TREC", () => {
  it("ranks by scores that fall, also if the target's do not", async () => {
    const lines = (await write(celrecDocument(), "a.run")).trimEnd().split("\n");
    const tag = lines[0]!.split(" ")[5];
    expect(tag).toMatch(/^celrec-0\.1\.0-[0-9a-f]{8}$/);
    // The second and third cell of the first query have the same score.
    expect(lines.slice(0, 6)).toEqual([
      `a.py:1 Q0 a3 1 3 ${tag}`,
      `a.py:1 Q0 x 2 2 ${tag}`,
      `a.py:1 Q0 y 3 1 ${tag}`,
      `a.py:2 Q0 a1 1 0.9 ${tag}`,
      `a.py:2 Q0 a2 2 0.8 ${tag}`,
      `a.py:2 Q0 a3 3 0.7 ${tag}`,
    ]);
  });

  it("judges the mutants of each query's seed", async () => {
    const document = celrecDocument();
    document.queries[4]!.id = "b py:3";
    expect((await write(document, "a.qrels")).split("\n").slice(10)).toEqual([
      "b%20py:3 0 b1 5",
      "b%20py:3 0 b2 3",
      "",
    ]);
  });
});

describe("checkReportPaths", () => {
  const refuses = async (path: string, message: RegExp, suite: ResultDocument["suite"] = "celrec") => {
    const { reports } = suiteOf(suite);
    await expect(checkReportPaths([path], reports)).rejects.toThrow(expect.objectContaining({ code: "INPUT_INVALID" }));
    await expect(checkReportPaths([path], reports)).rejects.toThrow(message);
  };

  it("rejects a report path that could not be written after the run", async () => {
    mkdirSync(join(folder, "taken.html"), { recursive: true });
    await refuses(join(folder, "a.docx"), /No report format for ".*a\.docx"; this suite has \.json, \.csv/);
    await refuses(join(folder, "missing/a.json"), /there is no folder .*missing; create it/);
    await refuses(join(folder, "taken.html"), /it is a folder/);
    await refuses(
      join(folder, "a.run"),
      /this suite has \.json, \.csv, \.xlsx, \.md, \.html, \.htm, \.tex, \.svg, \.pdf$/,
      "typing",
    );
    await refuses("/dev/null/a.json", /Cannot write/);
  });

  it("removes its temporary files and keeps existing ones", async () => {
    writeFileSync(join(folder, "old.json"), "old");
    await checkReportPaths([join(folder, "old.json"), join(folder, "new.HTML")], suiteOf("celrec").reports);
    expect(readFileSync(join(folder, "old.json"), "utf8")).toBe("old");
    expect(existsSync(join(folder, "new.HTML"))).toBe(false);
    expect(existsSync(join(folder, "new.HTML.part"))).toBe(false);
  });
});

const executablePath = [
  process.env.CELREC_TEST_CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((path) => path !== undefined && existsSync(path));
const hasChromium = requires(
  "chromium",
  executablePath !== undefined,
  "apt-get install chromium, or set CELREC_TEST_CHROMIUM",
);

describe.skipIf(!hasChromium)("html in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    const args = [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--disable-background-networking",
    ];
    browser = await chromium.launch({ executablePath: executablePath!, args });
  });
  afterAll(() => browser.close());

  it.each([
    [
      celrecDocument(),
      ["summary", "lines", "operators", "labels", "seeds", "worst", "latency", "problems", "manifest"],
    ],
    [
      typingDocument(),
      [
        "chrf",
        "call-recall",
        "call-f1",
        "chrf-adapted",
        "insert-chrf",
        "first-line",
        "undefined-names",
        "length",
        "confidence",
        "worst",
        "latency",
        "problems",
        "manifest",
      ],
    ],
  ] as const)("shows every part of $suite, needs nothing else and fits the screen", async (document, parts) => {
    await write(document, "page.html");
    for (const [width, colorScheme] of [
      [1280, "light"],
      [390, "dark"],
    ] as const) {
      const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
      const [errors, requests]: [string[], string[]] = [[], []];
      page.on("console", (message) => errors.push(message.text()));
      page.on("pageerror", (error) => errors.push(error.message));
      page.on("request", (request) => requests.push(request.url()));
      await page.goto(pathToFileURL(join(folder, "page.html")).href);
      for (const part of parts) expect(await page.locator(`section#${part} h2`).isVisible(), part).toBe(true);
      expect(await page.locator("figure").count()).toBe(document.suite === "celrec" ? 8 : 11);
      expect(await page.locator("figure svg, figure .heat").first().isVisible()).toBe(true);
      expect(await page.locator("details.worst[open] pre").first().isVisible()).toBe(true);
      // Code is shown as text, so markup in a cell has no effect.
      expect(await page.locator("pre b").count()).toBe(0);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      expect(errors).toEqual([]);
      expect(requests.filter((url) => !/^(file|data):/.test(url))).toEqual([]);
      await page.close();
    }
  });
});

/** One file of a zip archive, found by its entry in the directory at the end. */
function unzip(archive: Buffer, name: string): string {
  for (let at = archive.indexOf("PK\x01\x02"); at !== -1; at = archive.indexOf("PK\x01\x02", at + 4)) {
    const length = archive.readUInt16LE(at + 28);
    if (archive.toString("utf8", at + 46, at + 46 + length) !== name) continue;
    const [method, size, start] = [
      archive.readUInt16LE(at + 10),
      archive.readUInt32LE(at + 20),
      archive.readUInt32LE(at + 42),
    ];
    const data = start + 30 + archive.readUInt16LE(start + 26) + archive.readUInt16LE(start + 28);
    const packed = archive.subarray(data, data + size);
    return (method === 0 ? packed : inflateRawSync(packed)).toString("utf8");
  }
  throw new Error(`no ${name} in the archive`);
}
