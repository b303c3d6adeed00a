import type { ResultDocument } from "../result.js";
import { celrecTables } from "./tables-celrec.js";
import { labelsTables } from "./tables-labels.js";
import { typingTables } from "./tables-typing.js";

export type Value = string | number | null;

/** A view of a document, for every format that has tables. Rows are made as they are read. */
export interface Table {
  readonly name: string;
  /** Heads of the columns; the first one names the row. */
  readonly columns: readonly string[];
  rows(): Iterable<readonly Value[]>;
}

/** Summary first, manifest last. */
export function tablesOf(document: ResultDocument): Table[] {
  return [...suiteTables(document), manifestTable(document)];
}

function suiteTables(document: ResultDocument): Table[] {
  switch (document.suite) {
    case "celrec":
      return celrecTables(document);
    case "typing":
      return typingTables(document);
    case "labels":
      return labelsTables(document);
  }
}

/** What it takes to repeat the run, and what went wrong in it, as name and value. */
function manifestTable(document: ResultDocument): Table {
  const { manifest, config, counts, problems, latency } = document;
  const seeds = document.suite === "celrec" ? document.manifest.seeds.map(({ seed, hash }) => [seed, hash]) : [];
  return {
    name: "manifest",
    columns: ["name", "value"],
    rows: () => [
      ["suite", document.suite],
      ...("k" in document ? [["k", document.k] as const] : []),
      ...flatten("version", manifest.versions),
      ...flatten("config", config),
      ...flatten("setting", manifest.settings),
      ...flatten("count", counts),
      ...flatten("problem", problems),
      ...flatten("latency", latency),
      ...flatten("sha256", manifest.inputs),
      ...flatten("sha256 of seed", Object.fromEntries(seeds)),
    ],
  };
}

/** Objects by their keys, anything else as it would stand in JSON. */
function flatten(name: string, value: unknown): [string, Value][] {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([key, inner]) => flatten(`${name} ${key}`, inner));
  }
  if (typeof value === "string" || typeof value === "number") return [[name, value]];
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return [[name, value.join(", ")]];
  return value === null || value === undefined ? [] : [[name, JSON.stringify(value)]];
}
