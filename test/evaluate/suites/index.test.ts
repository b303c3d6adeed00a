import { existsSync, readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { paperMutators } from "../../../mutators/index.js";
import { compareResults } from "../../../src/evaluate/compare-results.js";
import { tablesOf } from "../../../src/evaluate/reports/description.js";
import { renderPage } from "../../../src/evaluate/reports/html.js";
import { renderText } from "../../../src/evaluate/reports/text.js";
import type { Suite } from "../../../src/evaluate/suite.js";
import { PAPER_PROTOCOL } from "../../../src/evaluate/suites/celrec/protocol.js";
import { parseResult, SUITES, suiteOf } from "../../../src/evaluate/suites/index.js";
import { loadGrammar } from "../../../src/python/grammar.js";

const NO_TEXTS = { query: () => undefined, cell: () => undefined };
const ROOT = "src/evaluate";
const sources = readdirSync(ROOT, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
const importsOf = (file: string) =>
  [...readFileSync(`${ROOT}/${file}`, "utf8").matchAll(/from "(\.[^"]+)"/g)].map(([, path]) =>
    posix.join(posix.dirname(file), path!).replace(/\.js$/, ".ts"),
  );

describe("the list of suites", () => {
  it("lists every folder by name", () => {
    const folders = readdirSync(`${ROOT}/suites`, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(SUITES.map(({ name }) => name).sort()).toEqual(folders.map(({ name }) => name).sort());
  });

  it("finds a suite by its name, and lists all suites for an unknown one", () => {
    expect(suiteOf("typing").name).toBe("typing");
    expect(() => suiteOf("none")).toThrow(
      /There is no suite "none"; known suites: celrec, typing, cursor, labels, juice, themisto, exeds, feedback/,
    );
  });

  it("has the paper's operators as default", () => {
    expect(PAPER_PROTOCOL.mutants.at(-1)!.operators).toEqual(paperMutators.map(({ name }) => name));
  });
});

describe.each(SUITES.map((suite): [string, Suite] => [suite.name, suite]))("the suite %s", (name, suite) => {
  const file = `examples/results/${name}.json`;
  const sample = () => parseResult(readFileSync(file, "utf8"), file);

  it("has a sample document, whose figures are among its metrics", () => {
    expect(existsSync(file)).toBe(true);
    expect(sample().suite).toBe(name);
    const measured = suite.metrics({ k: 3, partial: true }).map((metric) => metric.name);
    expect(Object.keys(suite.figures(sample())).filter((metric) => !measured.includes(metric))).toEqual([]);
  });

  it("has tables, summary first and manifest last, that are as wide as their heads", () => {
    const tables = tablesOf(suite.describe(sample(), NO_TEXTS));
    expect([tables[0]!.name, tables.at(-1)!.name]).toEqual(["summary", "manifest"]);
    for (const { columns, rows } of tables) for (const row of rows()) expect(row).toHaveLength(columns.length);
  });

  it("has a page and a text for people", async () => {
    await loadGrammar();
    const description = suite.describe(sample(), NO_TEXTS);
    const page = [...renderPage(description)].join("");
    expect(page.startsWith("<!doctype html>")).toBe(true);
    expect(page.endsWith("</html>\n")).toBe(true);
    const text = [...renderText(description, { dim: (line) => line })];
    expect(text[1]).toMatch(/^(metric|system) +/);
    for (const { name: metric, better } of suite.metrics({ k: 3, partial: true })) {
      const line = text.find((one) => one.startsWith(`${metric} `));
      if (better === "lower" && line !== undefined) expect(line).toContain(" (lower is better)");
    }
  });

  it("pairs a document with itself and finds no difference", () => {
    const { metrics, decisive } = compareResults(sample(), sample());
    expect(metrics.map(({ metric }) => metric)).toContain(decisive);
    expect(metrics.map(({ difference, p }) => [difference, p])).toEqual(metrics.map(() => [0, 1]));
  });

  it("has options that commander can read, and no two of a name", () => {
    const flags = suite.options.map((option) => option.flags.split(" ")[0]!);
    expect(new Set(flags).size).toBe(flags.length);
    for (const { flags: written, value } of suite.options) {
      expect(written).toMatch(value === undefined ? /^--[a-z-]+$/ : /^--[a-z-]+ <[a-z. ]+>$/);
      if (value === "list") expect(written).toContain("...>");
    }
  });
});

describe("the folders of evaluate", () => {
  it("that are shared import no suite", () => {
    const shared = sources.filter(
      (file) => !/^(suites\/|(system-results|compare-results|board-report)\.ts$)/.test(file),
    );
    expect(shared.filter((file) => importsOf(file).some((path) => path.startsWith("suites/")))).toEqual([]);
  });

  it("keep the suites apart", () => {
    const suite = (path: string) => /^suites\/(\w+)\//.exec(path)?.[1];
    const wrong = sources.flatMap((file) =>
      importsOf(file)
        .filter((path) => suite(file) !== undefined && suite(path) !== undefined && suite(path) !== suite(file))
        .map((path) => `${file} -> ${path}`),
    );
    expect(wrong).toEqual([]);
  });

  it("have no import cycle, types included", () => {
    const graph = new Map(sources.map((file) => [file, importsOf(file).filter((path) => !path.startsWith(".."))]));
    let changed = true;
    // Removes files without a remaining import until nothing changes. The rest is in a cycle or imports one.
    while (changed) {
      changed = false;
      for (const [file, paths] of graph) {
        if (paths.some((path) => graph.has(path))) continue;
        graph.delete(file);
        changed = true;
      }
    }
    expect([...graph.keys()]).toEqual([]);
  });
});
