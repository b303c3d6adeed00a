import { describe, expect, it } from "vitest";
import { describeBoard, leaderboardFigures } from "../../../src/evaluate/board-report.js";
import { makeLeaderboard } from "../../../src/evaluate/compare-results.js";
import type { Plot, ReportDescription } from "../../../src/evaluate/reports/description.js";
import { drawPlot } from "../../../src/evaluate/reports/figure/draw-plot.js";
import { fitText, textWidth } from "../../../src/evaluate/reports/figure/drawing.js";
import { toPdf } from "../../../src/evaluate/reports/figure/pdf.js";
import { toSvg } from "../../../src/evaluate/reports/figure/svg.js";
import { drawFigures } from "../../../src/evaluate/reports/figures.js";
import { drawLines } from "../../../src/evaluate/reports/html/plots.js";
import { escapeLatex, renderLatex } from "../../../src/evaluate/reports/latex.js";
import { suiteOf } from "../../../src/evaluate/suites/index.js";
import { celrecDocument } from "../documents.js";
import { OUTCOMES } from "../suites/celrec/sample.js";

const NO_TEXTS = { query: () => undefined, cell: () => undefined };
const describeSample = (): ReportDescription => {
  const document = celrecDocument();
  return suiteOf("celrec").describe(document, NO_TEXTS);
};

describe("LaTeX", () => {
  const text = [...renderLatex(describeSample())].join("");

  it("has a booktabs table per table of the report, with caption and label", () => {
    expect(text).toContain(
      "\\caption{Finding mutated cells: celrec: summary.}\\label{tab:finding-mutated-cells-celrec-summary}",
    );
    expect(text).toContain("\\begin{tabular}{lrr}\n\\toprule\nmetric & celrec & ceiling \\\\\n\\midrule\n");
    expect(text).toContain("precision@3 & 0.4667 [0.333, 0.667] & 0.6667 \\\\\n");
    expect(text).toContain("all queries & 7 & 5 & 5 & 33 \\\\\n");
    expect(text.match(/\\begin\{table\}/g)).toHaveLength(text.match(/\\end\{table\}/g)!.length);
  });

  it("leaves out how to repeat the run and the rows of queries", () => {
    expect(text).not.toContain("sha256");
    expect(text).not.toContain("tab:per-query");
  });

  it("escapes LaTeX's special characters", () => {
    expect(escapeLatex("50 % of a_b & {c} #1 ~ ^ \\ < $")).toBe(
      "50 \\% of a\\_b \\& \\{c\\} \\#1 \\textasciitilde{} \\textasciicircum{} \\textbackslash{} \\textless{} \\$",
    );
  });

  it("lets a long table span pages", () => {
    const rows = Array.from({ length: 41 }, (_, at) => [`r${at}`, at]);
    const table = {
      kind: "table",
      name: "long",
      columns: [{ title: "row" }, { title: "n", format: "count" }],
    } as const;
    const long = describeBoard("Long", [{ ...table, rows: () => rows }]);
    expect([...renderLatex(long)].join("")).toContain("\\begin{longtable}{lr}\n");
    // The figure has one label, even if it has several pages.
    expect([...renderLatex(long)].join("")).toMatch(
      /\\label\{tab:long-long\}[\s\S]*\\endfirsthead\n[\s\S]*\\endhead\nr0 & 0 /,
    );
  });

  it("splits a table that is too wide for a page, with the first column in each part", () => {
    const titles = Array.from({ length: 12 }, (_, at) => ({ title: `metric-${at}`, format: "figure" }) as const);
    const wide = describeBoard("Wide", [
      {
        kind: "table",
        name: "per seed",
        columns: [{ title: "seed" }, ...titles],
        rows: () => [[`${"folder/".repeat(8)}a.ipynb#1`, ...titles.map((_, at) => at)]],
      },
    ]);
    const text = [...renderLatex(wide)].join("");
    expect(text).toContain("Wide: per seed (1 of 3).");
    expect(text.match(/folder\/\\allowbreak\{\}/g)).toHaveLength(24);
    expect(text.match(/metric-\d+/g)).toEqual(titles.map(({ title }) => title));
    for (const part of text.split("\\begin{table}").slice(1)) expect(part.match(/metric-/g)!.length).toBeLessThan(6);
  });

  it("breaks a long title between words", () => {
    const columns = [{ title: "operator" }, { title: "found in evaluate_model", format: "figure" }] as const;
    const table = { kind: "table", name: "t", columns, rows: () => [["rename", 0.5]] } as const;
    expect([...renderLatex(describeBoard("T", [table]))].join("")).toContain(
      "operator & \\begin{tabular}[b]{@{}r@{}}found\\\\in\\\\evaluate\\_model\\end{tabular} \\\\\n",
    );
  });
});

describe("figures for print", () => {
  const drawings = drawFigures(describeSample());

  it("are those of the page", () => {
    expect(drawings.map(({ title }) => title)).toEqual([
      "Every metric",
      "Quality by number of query lines",
      "Operator by label",
      "ndcg-ideal@3 by the label of the query",
      "Seeds by their mean ndcg-ideal@3",
      "Latency by stage, in milliseconds",
    ]);
  });

  it("are SVG files of their own, with everything inside the picture", () => {
    for (const { drawing } of drawings) {
      const svg = toSvg(drawing);
      expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="520"/);
      expect(svg).not.toMatch(/NaN|undefined|Infinity/);
      for (const shape of drawing.shapes) if ("y" in shape) expect(shape.y).toBeLessThanOrEqual(drawing.height);
    }
  });

  it("name the measured values below the axis, and leave room for the names of the lines", () => {
    const points = [50, 200, 400].map((x) => ({ x, y: 0.1 }));
    const name = "a system with quite a long name";
    const plot = { axisName: "size", unit: "cases", counts: points.map(({ x }) => ({ x, count: 3 })) } as const;
    const narrow = drawLines({ ...plot, type: "lines", series: [{ name: "bm25", points }] });
    const wide = drawLines({ ...plot, type: "lines", series: [{ name, points }] });
    const ticks = (svg: string) => [...svg.matchAll(/y="326" text-anchor="middle">([^<]+)</g)].map(([, text]) => text);
    expect(ticks(narrow)).toEqual(["50", "200", "400"]);
    expect(wide).toContain(`>${name}</text>`);
    const nameStart = Number(/<text class="first" x="([\d.]+)"/.exec(wide)![1]);
    expect(nameStart + textWidth(name, 12, true)).toBeLessThan(860);
    expect(nameStart).toBeLessThan(Number(/<text class="first" x="([\d.]+)"/.exec(narrow)![1]));
  });

  it("include calibration plots", () => {
    const bin = { count: 3, probability: 0.5, share: 0.4 };
    const curve = { name: "all", ece: 0.1, bins: [bin, { count: 0, probability: null, share: null }] };
    const plot: Plot = { type: "reliability", curves: [curve], unit: "cells", probabilityName: "p", outcome: "right" };
    expect(toSvg(drawPlot(plot))).toContain("all, ECE 0.100");
  });

  it("are pages of a PDF with a valid cross-reference table", () => {
    const pdf = Buffer.from(toPdf(drawings.map(({ drawing }) => drawing))).toString("latin1");
    expect(pdf.startsWith("%PDF-1.4\n")).toBe(true);
    expect(pdf).toContain(`/Count ${drawings.length} `);
    const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(pdf)![1]);
    const [, ...entries] = pdf.slice(start).match(/^\d{10} \d{5} [nf] $/gm)!;
    expect(entries).toHaveLength(4 + 2 * drawings.length);
    for (const [at, entry] of entries.entries())
      expect(pdf.slice(Number(entry.slice(0, 10))).startsWith(`${at + 1} 0 obj\n`)).toBe(true);
    for (const [, length, body] of pdf.matchAll(/\/Length (\d+) >>\nstream\n([\s\S]*?)\nendstream/g))
      expect(body).toHaveLength(Number(length));
  });

  it("escape brackets, and replace characters missing in the font by a question mark", () => {
    const text = { kind: "text", x: 0, y: 5, size: 9, color: "#000000", text: "f(x) – \u4e2d" } as const;
    const pdf = Buffer.from(toPdf([{ width: 10, height: 10, shapes: [text] }])).toString("latin1");
    expect(pdf).toContain("(f\\(x\\) - ?) Tj");
  });

  it("measure text by the widths of Helvetica", () => {
    expect(textWidth("iW", 10)).toBeCloseTo((222 + 944) / 100, 12);
    expect(fitText("a long name", 10, 30)).toBe("a lo...");
    expect(fitText("short", 10, 300)).toBe("short");
  });
});

describe("the figures of a comparison", () => {
  const worse = OUTCOMES.map((outcome) => (outcome.id === "b.py:3" ? { ...outcome, results: [] } : outcome));
  const board = makeLeaderboard([
    { name: "one", document: celrecDocument() },
    { name: "other", document: celrecDocument(worse) },
  ]);

  it("show the main metric of every run, and for two runs the changes of all metrics", () => {
    const [main, change] = leaderboardFigures(board);
    expect([main!.title, change!.title]).toEqual(["ndcg-ideal@3 of every run", "Change from one to other"]);
    const plot = change!.plot();
    if (plot?.type !== "intervals") throw new Error("another plot");
    const precision = plot.rows.find(({ name }) => name === "precision@3")!;
    expect(precision.value).toBeCloseTo(-2 / 15, 12);
    expect(plot.axis!.min).toBe(-plot.axis!.max!);
  });
});
