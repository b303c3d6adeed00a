import type { SuiteDocument } from "../document.js";
import type { Table, Value } from "./table.js";

/** What it takes to repeat the run, and what went wrong in it, as name and value; `more` are further groups of such. */
export function manifestTable(document: SuiteDocument, more: Readonly<Record<string, object>> = {}): Table {
  const { manifest, config, counts, problems, latency } = document;
  return {
    name: "manifest",
    columns: ["name", "value"],
    rows: () => [
      ["suite", document.suite],
      ...(document.k === undefined ? [] : [["k", document.k] as const]),
      ...flatten("command", manifest.command),
      ...flatten("version", manifest.versions),
      ...flatten("config", config),
      // Most of them are a part of what it was configured with.
      ...flatten(
        "setting",
        Object.fromEntries(Object.entries(manifest.settings).filter(([name]) => !(name in config))),
      ),
      ...flatten("count", counts),
      ...flatten("problem", problems),
      ...flatten("latency", latency),
      ...flatten("sha256", manifest.inputs),
      ...Object.entries(more).flatMap(([name, group]) => flatten(name, group)),
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
