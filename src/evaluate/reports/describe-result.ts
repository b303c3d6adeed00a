import type { Figures, Published, SuiteDocument } from "../result-document.js";
import { OWN_TARGET } from "../target.js";
import {
  type Column,
  type Estimate,
  estimateColumn,
  type Facts,
  type ReportDescription,
  type Section,
  type Table,
  type TableCell,
  textColumn,
  type Value,
} from "./description.js";

/** Displayed name of a missing label. */
export const NO_LABEL = "(none)";

/** The parts of a description that are specific to a suite. */
interface OwnParts extends ReportDescription {
  /** Title of the latency section: `Time per request` by default. */
  readonly latencyTitle?: string;
  readonly problems?: ProblemNames;
  /** Further groups of the manifest, by name; folded away on the page. */
  readonly manifest?: Readonly<Record<string, object>>;
}

interface ProblemNames {
  /** Describes a problem that only this suite has; null for any other problem. */
  readonly explain?: (problem: string) => string | null;
  /** Names and values of further problems that are not counts. */
  readonly more?: readonly (readonly [name: string, value: Value])[];
  /** The text to show if there are no problems. */
  readonly none?: string;
}

/** The description of a result: the suite's own sections, then latency, problems and the manifest. */
export function describeResult(document: SuiteDocument, own: OwnParts): ReportDescription {
  // Suites without a recommender have no k.
  const target = document.k === undefined ? null : targetName(document);
  const { title, lead, headline, sections } = own;
  return {
    title: target === null ? title : `${title}: ${target}`,
    lead: target === null ? lead : `${target}: ${lead}`,
    headline,
    sections: [
      ...sections,
      ...latencySection(document, own.latencyTitle ?? "Time per request"),
      { id: "problems", title: "Problems", blocks: [problemFacts(document, own.problems ?? {})] },
      { id: "manifest", title: "How to repeat it", blocks: [manifestTable(document, own.manifest ?? {})] },
    ],
  };
}

function latencySection({ latency }: SuiteDocument, title: string): Section[] {
  if (Object.keys(latency).length === 0) return [];
  const caption = "The dot is the median, the thick bar reaches to the 95th and the thin one to the 99th percentile.";
  const plot = () => ({ type: "latency", stages: latency }) as const;
  return [
    {
      id: "latency",
      title,
      blocks: [{ kind: "figure", title: "Latency by stage, in milliseconds", caption, plot }],
    },
  ];
}

/** Descriptions of the problems that every target can have; other problems keep their names. */
const PROBLEMS: Readonly<Record<string, string>> = {
  "target timeouts": "requests that timed out",
  "target errors5xx": "requests answered with a server error (5xx)",
  "target errorsOther": "requests that failed for other reasons",
  "target short": "lists with fewer than k cells",
  "target duplicates": "cells returned twice in one list",
  "target junk": "answers, or parts of them, that could not be read",
};

function problemFacts({ problems }: SuiteDocument, names: ProblemNames): Facts {
  const { explain = () => null, more = [], none = "None: every query was answered." } = names;
  const counts = flatten("", problems).flatMap(([name, value]): (readonly [string, Value])[] =>
    typeof value === "number" && value > 0 ? [[explain(name) ?? PROBLEMS[name] ?? name, value]] : [],
  );
  return { kind: "facts", rows: [...counts, ...more], empty: none };
}

/** Everything needed to repeat the run, as names and values. Latency and problems have sections of their own on the page. */
function manifestTable(document: SuiteDocument, more: Readonly<Record<string, object>> = {}): Table {
  const { manifest, config, counts, problems, latency } = document;
  // Most settings are part of the configuration.
  const settings = Object.entries(manifest.settings).filter(([name]) => !(name in config));
  return {
    kind: "table",
    name: "manifest",
    columns: [textColumn("name"), textColumn("value")],
    rows: () => [
      ["suite", document.suite],
      ...(document.k === undefined ? [] : [["k", document.k] as const]),
      ...flatten("command", manifest.command),
      ...flatten("version", manifest.versions),
      ...flatten("config", config),
      ...flatten("setting", Object.fromEntries(settings)),
      ...flatten("count", counts),
      ...flatten("usage", manifest.usage),
      ...flatten("problem", problems),
      ...flatten("latency", latency),
      ...flatten("sha256", manifest.inputs),
      ...Object.entries(more).flatMap(([name, group]) => flatten(name, group)),
    ],
    page: {
      layout: "facts",
      isShown: ([name]) => !/^(latency|problem) /.test(String(name)),
      isFolded: ([name]) => Object.keys(more).some((group) => String(name).startsWith(`${group} `)),
    },
  };
}

/** Shows a setting: the entries of an object, anything else as JSON. */
function flatten(name: string, value: unknown): [string, Value][] {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([key, inner]) => flatten(name === "" ? key : `${name} ${key}`, inner));
  }
  if (typeof value === "string" || typeof value === "number") return [[name, value]];
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return [[name, value.join(", ")]];
  return value === null || value === undefined ? [] : [[name, JSON.stringify(value)]];
}

/** Whether a run measured this recommender. Documents of earlier versions have no target in that case. */
export const isOwnRun = ({ config }: Pick<SuiteDocument, "config">): boolean =>
  typeof config.target !== "string" || config.target === OWN_TARGET;

/** The name of the measured system: the target, or this recommender with its embedder and given settings. */
export function targetName(document: Pick<SuiteDocument, "config">, settings: readonly string[] = []): string {
  const { config } = document;
  if (!isOwnRun(document)) return String(config.target);
  const [maker] = [config.embedder, config.labeller].filter((part) => typeof part === "string");
  // Only name and revision; the rest of the id describes preprocessing.
  const parts = maker === undefined ? [] : [/^[^@]*@[^/:]*/.exec(maker)?.[0] ?? maker];
  const stages = config.stages === 1 ? ["one stage"] : [];
  return [OWN_TARGET, ...parts, ...stages, ...settings.map((name) => `${name} ${String(config[name])}`)].join(", ");
}

/** The name of published figures, with a note if they were measured on other data. */
export function publishedName({ name, sameData }: Published): string {
  return sameData ? name : `${name}, other data`;
}

/** Figures and intervals of one system, by metric. */
export interface SystemFigures {
  readonly metrics: Figures;
  readonly ci95: Readonly<Record<string, readonly [number, number]>>;
}

export const estimateOf = ({ metrics, ci95 }: SystemFigures, metric: string): Estimate => ({
  value: metrics[metric] ?? null,
  interval: ci95[metric],
});

/** A row per metric with its value and interval. `systems` and `beside` add columns, by title. */
export function metricTable(
  metrics: readonly { readonly name: string; readonly better: "higher" | "lower" }[],
  figures: SystemFigures,
  {
    value = "value",
    systems = {},
    beside = {},
  }: {
    value?: string;
    systems?: Readonly<Record<string, SystemFigures>>;
    beside?: Readonly<Record<string, Figures>>;
  } = {},
): Table {
  const all = [[value, figures] as const, ...Object.entries(systems)];
  const others = Object.entries(beside);
  return {
    kind: "table",
    name: "summary",
    columns: [
      textColumn("metric"),
      ...all.map(([title]) => estimateColumn(title)),
      ...others.map(([title]): Column => ({ title, format: "figure" })),
    ],
    rows: () =>
      metrics.map(({ name, better }): TableCell[] => [
        better === "lower" ? `${name} (lower is better)` : name,
        ...all.map(([, system]) => estimateOf(system, name)),
        ...others.map(([, column]) => column[name] ?? null),
      ]),
    terminal: { layout: "rows" },
  };
}
