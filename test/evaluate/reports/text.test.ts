import { describe, expect, it } from "vitest";
import { metricTable, publishedName } from "../../../src/evaluate/reports/describe-result.js";
import { systemTable } from "../../../src/evaluate/reports/describe-systems.js";
import { flattenTable, showFigure } from "../../../src/evaluate/reports/description.js";
import { alignColumns, renderText, tableLines } from "../../../src/evaluate/reports/text.js";

const style = { dim: (text: string) => `~${text}` };

const METRICS = [
  { name: "a-long-name", better: "higher" },
  { name: "length", better: "lower" },
] as const;

const figures = (value: number, length: number) => ({
  metrics: { "a-long-name": value, length },
  ci95: { "a-long-name": [value - 0.25, value + 0.25] as const },
});

describe("alignColumns", () => {
  it("continues a table that is wider than the terminal below, with its first column", () => {
    const rows = [
      ["one", "1.0", "2.0", "3.0"],
      ["two", "1.1", "", "3.1"],
    ];
    const heads = ["name", "first", "second", "third"];
    expect(alignColumns(heads, rows, { ...style, width: 20 })).toEqual([
      "~name  first  second",
      "one   1.0    2.0",
      "two   1.1",
      "",
      "~name  third",
      "one   3.0",
      "two   3.1",
    ]);
    expect(alignColumns(heads, rows, { ...style, width: 27 })).toHaveLength(3);
    expect(alignColumns(["name"], [["one"]], { ...style, width: 2 })).toEqual(["~name", "one"]);
  });
});

describe("tableLines", () => {
  it("gives the interval of a single estimate a column, leaves empty columns out, and marks metrics of which lower is better", () => {
    const beside = { "a system of a long name": { length: 9.99999 }, empty: {} };
    expect(tableLines(metricTable(METRICS, figures(0.5, 123.45), { beside }), style)).toEqual([
      "~metric                    value   95 % interval    a system of a long name",
      "a-long-name               0.5000  0.2500 - 0.7500",
      "length (lower is better)  123.5                    10.0000",
    ]);
  });

  const systems = [
    { name: "own", all: figures(0.5, 10), withoutCopies: figures(0.4, 11) },
    { name: "baseline: x", all: figures(0.25, 20), withoutCopies: figures(0.3, 21) },
  ];

  it("has a line per system with the chosen columns, and one without copies for the first system only", () => {
    const terminal = { layout: "rows", columns: ["a-long-name"] } as const;
    const [, ...lines] = tableLines(systemTable(systems, METRICS, { terminal }), style);
    expect(lines).toEqual([
      "own                  0.5000       0.2500 - 0.7500",
      "own, without copies  0.4000       0.1500 - 0.6500",
      "baseline: x          0.2500       0.0000 - 0.5000",
    ]);
  });

  it("can have a column per system", () => {
    expect(tableLines(systemTable(systems, METRICS, { terminal: { layout: "columns" } }), style)).toEqual([
      "~metric                    own     95 % interval    own, without copies  baseline: x",
      "a-long-name               0.5000  0.2500 - 0.7500  0.4000               0.2500",
      "length (lower is better)  10.0                     11.0                 20.0",
    ]);
  });

  it("can have the first column as headings, and writes ranges with negative ends with dots", () => {
    const table = {
      kind: "table",
      name: "pairs",
      columns: [{ title: "pair" }, { title: "metric" }, { title: "change", format: "estimate" }],
      rows: () =>
        [
          ["a -> b", "chrf", { value: 0.1, interval: [-0.2, 0.4] }],
          ["a -> c", "chrf", { value: -165.96, interval: [0.1, 0.2] }],
          ["a -> b", "length", { value: -20, interval: [-30.06, -10] }],
        ] as const,
      terminal: { layout: "groups" },
    } as const;
    expect(tableLines(table, style)).toEqual([
      "a -> b",
      "~metric  change  95 % interval",
      "chrf    0.1000  -0.2000 .. 0.4000",
      "length  -20.0   -30.1 .. -10.0",
      "",
      "a -> c",
      "~metric  change  95 % interval",
      "chrf    -166.0  0.1000 - 0.2000",
    ]);
  });

  it("shows four decimals below ten, one from ten on, and an empty text for null", () => {
    expect([0, 9.99994, 10, 123.46, null, undefined].map(showFigure)).toEqual([
      "0.0000",
      "9.9999",
      "10.0",
      "123.5",
      "",
      "",
    ]);
  });

  it("has a head even without rows", () => {
    expect(alignColumns(["a", "b"], [], style)).toEqual(["~a  b"]);
  });
});

describe("renderText", () => {
  it("has the lead, then the terminal blocks, separated by empty lines", () => {
    const code = "1\n2\n3\n4\n5\n6\n7";
    const example = { name: "n", about: "missed", sides: [{ title: "Cell", texts: [{ code }] }] };
    const description = {
      title: "t",
      lead: "Lead.",
      headline: [],
      sections: [
        {
          id: "s",
          title: "S",
          blocks: [
            { kind: "figure", title: "f", caption: "c", plot: () => null },
            { kind: "facts", rows: [["timeouts", 2]], empty: "None." },
            { kind: "examples", open: 0, terminal: 1, list: () => [example, example] },
            { kind: "table", name: "x", columns: [{ title: "a" }], rows: () => [["b"]] },
          ],
        },
      ],
    } as const;
    expect([...renderText(description, style)]).toEqual([
      "Lead.",
      "timeouts: 2",
      "",
      "n: missed",
      "~    1",
      "~    2",
      "~    3",
      "~    4",
      "~    5",
      "~    6",
    ]);
  });
});

describe("flattenTable", () => {
  it("puts the ends of intervals into columns, named after their estimate if there are several", () => {
    const systems = [{ name: "own", all: figures(0.5, 10), withoutCopies: null }];
    const { heads, rows } = flattenTable(systemTable(systems, METRICS));
    expect(heads).toEqual([
      "system",
      "a-long-name",
      "a-long-name low",
      "a-long-name high",
      "length (lower is better)",
      "length low",
      "length high",
    ]);
    expect([...rows()]).toEqual([["own", 0.5, 0.25, 0.75, 10, null, null]]);
    expect(flattenTable(metricTable(METRICS, figures(0.5, 10))).heads).toEqual(["metric", "value", "low", "high"]);
  });
});

describe("publishedName", () => {
  it("marks figures of other data", () => {
    const theirs = { name: "theirs", figures: { a: 1 }, sameData: false, source: "paper" };
    expect(publishedName(theirs)).toBe("theirs, other data");
    expect(publishedName({ ...theirs, sameData: true })).toBe("theirs");
  });
});
