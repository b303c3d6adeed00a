import { markLower } from "../../metrics/index.js";
import { manifestTable } from "../../reports/manifest-table.js";
import { NO_LABEL, type Table, type Value } from "../../reports/table.js";
import { type CelrecResult, figureIn } from "./document.js";
import { measureQueries, queryMetrics } from "./measure-queries.js";

export function celrecTables(document: CelrecResult): Table[] {
  const { mps1, ci95, ceiling, mps2, byLines, byLabel } = document;
  const means = Object.keys(ci95);
  const figures = (row: Readonly<Record<string, unknown>>): Value[] => means.map((metric) => figureIn(row, metric));
  return [
    {
      name: "summary",
      columns: ["metric", "mean", "low", "high", "ceiling"],
      rows: () =>
        Object.entries(mps1).map(([metric, mean]) => [
          markLower(metric),
          mean,
          ci95[metric]?.[0] ?? null,
          ci95[metric]?.[1] ?? null,
          ceiling[metric] ?? null,
        ]),
    },
    {
      name: "per seed",
      columns: ["seed", "lines", ...means],
      rows: () => mps2.map((row) => [row.seed, row.lines, ...figures(row)]),
    },
    {
      name: "per query",
      columns: ["query", "seed", "lines", "label", ...queryMetrics(document).map(({ name }) => name), "results"],
      rows: () => queryRows(document),
    },
    {
      name: "per lines",
      columns: ["lines", "queries", ...means],
      rows: () => byLines.map((row) => [row.lines, row.queries, ...figures(row)]),
    },
    {
      name: "per label",
      columns: ["label", "queries", ...means],
      rows: () => byLabel.map((row) => [row.label ?? NO_LABEL, row.queries, ...figures(row)]),
    },
    operatorTable(document),
    celrecManifest(document),
  ];
}

export function celrecManifest(document: CelrecResult): Table {
  const hashes = document.manifest.seeds.map(({ seed, hash }) => [seed, hash]);
  return manifestTable(document, { "sha256 of seed": Object.fromEntries(hashes) });
}

function* queryRows(document: CelrecResult): Generator<Value[]> {
  for (const { query, values } of measureQueries(document)) {
    const results = query.results.map(({ id, rating }) => `${id}:${rating}`).join(" ");
    yield [query.id, query.seed, query.lines, query.label, ...values, results];
  }
}

function operatorTable({ byOperator, byLabel }: CelrecResult): Table {
  const labels = byLabel.map(({ label }) => label);
  return {
    name: "per operator",
    columns: [
      "operator",
      "mutant",
      "rating",
      "cells",
      "queries",
      "found",
      "mean rank",
      ...labels.map((label) => `found in ${label ?? NO_LABEL}`),
    ],
    rows: () =>
      byOperator.map(({ operator, mutant, rating, cells, queries, found, meanRank, byLabel: shares }) => [
        operator,
        mutant,
        rating,
        cells,
        queries,
        found,
        meanRank,
        ...labels.map((label) => shares.find((share) => share.label === label)?.found ?? null),
      ]),
  };
}
