import { describe, expect, it } from "vitest";
import { describeBoard, leaderboardTables, matrixTable, resultTables } from "../../src/evaluate/board-report.js";
import { makeLeaderboard } from "../../src/evaluate/compare-results.js";
import type { Table } from "../../src/evaluate/reports/description.js";
import { renderPage } from "../../src/evaluate/reports/html.js";
import { renderMarkdown } from "../../src/evaluate/reports/markdown.js";
import { requireAnswers } from "../../src/evaluate/runner/ask-target.js";
import { gatherResults, makeMatrix } from "../../src/evaluate/system-results.js";
import { celrecDocument, typingDocument } from "./documents.js";
import { OUTCOMES } from "./suites/celrec/sample.js";

const boardMarkdown = (title: string, tables: readonly Table[]) =>
  [...renderMarkdown(describeBoard(title, tables))].join("");

const WORSE = OUTCOMES.map((outcome) => (outcome.id === "b.py:3" ? { ...outcome, results: [] } : outcome));
const RUNS = [
  { name: "worse", document: celrecDocument(WORSE) },
  { name: "base", document: celrecDocument() },
  { name: "again", document: celrecDocument() },
];

describe("makeLeaderboard", () => {
  const board = makeLeaderboard(RUNS);

  it("lists the best run first, and all pairs of runs in every metric", () => {
    expect(board).toMatchObject({ suite: "celrec", unit: "seed", units: 2, decisive: "ndcg-ideal@3" });
    expect(board.runs.map(({ name }) => name)).toEqual(["base", "again", "worse"]);
    expect(board.runs[2]!.figures["precision@3"]).toBeCloseTo(5 / 15, 12);
    expect(board.pairs).toHaveLength(3 * board.metrics.length);
    const pair = board.pairs.find(
      ({ before, after, metric }) => `${before} ${after} ${metric}` === "worse base precision@3",
    );
    expect(pair!.difference).toBeCloseTo(2 / 15, 12);
    expect(pair!.holm).toBe(1);
  });

  it("refuses runs of other suites", () => {
    expect(() => makeLeaderboard([...RUNS, { name: "typing", document: typingDocument() }])).toThrow(
      /cannot be compared/,
    );
  });

  it("is written as Markdown and as a page", () => {
    const tables = leaderboardTables(board);
    const markdown = boardMarkdown("Runs <1>", tables);
    expect(markdown).toContain("| run | precision@3 | recall@3 |");
    expect(markdown).toMatch(/^\| worse \| 0\.3333 \[/m);
    expect(markdown).toContain(`Holm-corrected over all ${board.pairs.length} comparisons`);
    const page = [...renderPage(describeBoard("Runs <1>", tables))].join("");
    expect(page).toContain("<h1>Runs &lt;1&gt;</h1>");
    expect(page.match(/<tr>/g)!.length).toBe(2 + 3 + board.pairs.length);
  });
});

describe("makeMatrix", () => {
  it("has a column for every suite and its cases, and a row for every system, baselines included", () => {
    const other = celrecDocument(WORSE);
    const results = gatherResults([
      { name: "a", document: { ...celrecDocument(), config: { embedder: "default-1", stages: 2 } } },
      { name: "b", document: { ...other, config: { target: "baseline:bm25" } } },
      { name: "c", document: typingDocument() },
    ]);
    const matrix = makeMatrix(results);
    expect(matrix.columns).toEqual([
      expect.stringMatching(/^celrec: ndcg-ideal@3, 5 cases \([0-9a-f]{4}\)$/),
      expect.stringMatching(/^typing: chrf, 3 cases \([0-9a-f]{4}\)$/),
    ]);
    expect(matrix.rows.map(({ system }) => system)).toEqual([
      "celrec, default-1",
      "celrec",
      "baseline:bm25",
      "baseline:random",
    ]);
    const [own, , bm25, random] = matrix.rows;
    expect(own!.cells[1]).toBeNull();
    expect(bm25!.cells.map((cell) => cell !== null)).toEqual([true, true]);
    expect(random!.cells[1]).toMatchObject({ value: 0.15 });
    expect(boardMarkdown("m", [matrixTable(matrix)])).toContain("| baseline:random |  | 0.1500 [");
  });
});

describe("gatherResults", () => {
  it("separates runs over other notebooks, and marks targets that failed to answer", () => {
    const one = celrecDocument();
    const inputs = { ...one.manifest.inputs, index: "other" };
    const faults = { timeouts: 2, errors5xx: 0, errorsOther: 0, short: 4, duplicates: 0, junk: 1 };
    const found = gatherResults([
      { name: "a", document: { ...one, config: { target: "t" }, problems: { ...one.problems, target: faults } } },
      { name: "b", document: { ...one, config: { target: "t" }, manifest: { ...one.manifest, inputs } } },
    ]);
    expect(found.map(({ systems }) => systems.map(({ system }) => system))).toEqual([
      ["t (failed: 2 timeouts, 1 junk)"],
      ["t"],
    ]);
  });

  it("has the best system first, and names settings only if runs of this recommender differ in them", () => {
    const settings = { embedder: "default@1:mean", mode: "similar" };
    const [{ systems }] = gatherResults([
      { name: "a", document: { ...celrecDocument(WORSE), config: { target: "baseline:bm25" } } },
      { name: "b", document: { ...celrecDocument(), config: settings } },
    ]) as [ReturnType<typeof gatherResults>[number]];
    expect(systems.map(({ system }) => system)).toEqual(["celrec, default@1", "baseline:bm25"]);
    const varied = gatherResults([
      { name: "a", document: { ...celrecDocument(WORSE), config: { ...settings, mode: "next" } } },
      { name: "b", document: { ...celrecDocument(), config: settings } },
    ]);
    expect(varied[0]!.systems.map(({ system }) => system)).toEqual([
      "celrec, default@1, mode similar",
      "celrec, default@1, mode next",
    ]);
  });

  const published = [{ name: "Paper", figures: { "precision@3": 0.5 }, sameData: false, source: "s" }];
  const own = celrecDocument();
  const run = { ...own, published, manifest: { ...own.manifest, command: "celrec eval celrec" } };

  it("has every system with its figures and commands, published figures marked", () => {
    const results = gatherResults([{ name: "a", document: run }]);
    const markdown = boardMarkdown("r", resultTables(results));
    expect(markdown).toMatch(/^## Results of celrec, 5 cases \([0-9a-f]{4}\)$/m);
    expect(markdown).toMatch(/^\| celrec \| 0\.\d{4} \[0\.\d{3}, 0\.\d{3}\] \|/m);
    expect(markdown).toContain("| Paper, other data | 0.5000 |");
    expect(markdown).toContain("| celrec | celrec eval celrec |");
  });

  it("prefers a baseline's own run to its row in another run", () => {
    const target = { ...typingDocument(), config: { target: "baseline:random" } };
    const alone = { ...target, manifest: { ...target.manifest, command: "celrec eval typing" } };
    const [typing] = gatherResults([
      { name: "a", document: alone },
      { name: "b", document: typingDocument() },
    ]);
    const random = typing!.systems.find(({ system }) => system === "baseline:random");
    expect(random!.command).toBe("celrec eval typing");
  });
});

describe("requireAnswers", () => {
  it("fails if no answer of a target can be read", () => {
    const junk = { hits: 0, problems: { junk: 1 } };
    expect(() => requireAnswers([junk, { hits: 0, problems: { timeouts: 1 } }])).toThrow(
      expect.objectContaining({ code: "TARGET_FAILED", message: expect.stringContaining("(1 timeouts, 1 junk)") }),
    );
    expect(() => requireAnswers([junk, { hits: 1, problems: { junk: 2 } }])).not.toThrow();
    expect(() => requireAnswers([junk, { hits: 0, problems: { short: 1 } }])).not.toThrow();
    expect(() => requireAnswers([])).not.toThrow();
  });
});
