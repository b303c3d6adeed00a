import type { SuiteDocument } from "./document.js";
import type { NamedRun } from "./leaderboard.js";
import { publishedName } from "./reports/published.js";
import { suiteOf } from "./suites/index.js";

type Figures = Readonly<Record<string, number | null>>;
type Intervals = Readonly<Record<string, readonly [number, number]>>;

/** What one system reached on one set of cases. */
export interface SystemResult {
  readonly system: string;
  readonly figures: Figures;
  readonly ci95: Intervals;
  /** The command that repeats the run; null for baselines that stood in another one's, and for what a paper says. */
  readonly command: string | null;
}

/** All systems that were measured on the same cases of a suite. */
export interface SuiteResults {
  readonly suite: string;
  /** How many cases, and a piece of their hash. */
  readonly cases: string;
  readonly metrics: readonly { readonly name: string; readonly better: "higher" | "lower" }[];
  readonly decisive: string | undefined;
  readonly systems: readonly SystemResult[];
  /** Figures of papers. */
  readonly published: readonly SystemResult[];
}

/** Puts runs of the same suite over the same cases together. Of two runs of a system the later counts. */
export function gatherResults(runs: readonly NamedRun[]): SuiteResults[] {
  const groups = new Map<string, SuiteDocument[]>();
  for (const { document } of runs) {
    const key = `${document.suite} ${describeCases(document)}`;
    groups.set(key, [...(groups.get(key) ?? []), document]);
  }
  return [...groups.values()].map(gatherGroup);
}

function gatherGroup(documents: readonly SuiteDocument[]): SuiteResults {
  const [first] = documents;
  const suite = suiteOf(first!.suite);
  const { decisive, better } = suite.pair(first!, first!);
  const systems = new Map<string, SystemResult>();
  const put = (result: SystemResult) => systems.set(result.system, result);
  for (const document of documents) {
    const command = document.manifest.command ?? null;
    put({ system: systemOf(document), figures: suite.figures(document), ci95: document.ci95, command });
    for (const [name, baseline] of Object.entries(baselinesOf(document))) {
      const figures = numbersOf(baseline.metrics ?? baseline);
      const system = name.startsWith("recommender, ")
        ? name.replace("recommender", systemOf(document))
        : `baseline:${name}`;
      // A run of its own says more than a line in another one's.
      if (systems.get(system)?.command == null) put({ system, figures, ci95: baseline.ci95 ?? {}, command: null });
    }
  }
  const published = (first!.published ?? []).map((one) => ({
    system: publishedName(one),
    figures: one.figures,
    ci95: {},
    command: null,
  }));
  const names = [...new Set(documents.flatMap((document) => Object.keys(suite.figures(document))))];
  return {
    suite: first!.suite,
    cases: describeCases(first!),
    metrics: names.map((name) => ({ name, better: better(name) })),
    decisive,
    systems: [...systems.values()],
    published,
  };
}

/** What was measured: the target, or this recommender by its embedder and what differs from its defaults. */
function systemOf({ config }: SuiteDocument): string {
  if (typeof config.target === "string") return config.target;
  const parts = [config.embedder, config.labeller].filter((part) => typeof part === "string");
  const stages = config.stages === 1 ? ["one stage"] : [];
  return ["celrec", ...parts.slice(0, 1), ...stages].join(", ");
}

/** The same inputs have the same hash; a short piece of it tells two sets of the same size apart. */
function describeCases({ counts, manifest }: SuiteDocument): string {
  const count = counts.queries ?? counts.cases ?? counts.cells ?? 0;
  const hash = Object.values(manifest.inputs).join("").slice(0, 4);
  return `${count} cases (${hash})`;
}

type LooseFigures = Readonly<Record<string, unknown>> & {
  readonly metrics?: Readonly<Record<string, unknown>>;
  readonly ci95?: Intervals;
};

function baselinesOf(document: SuiteDocument): Readonly<Record<string, LooseFigures>> {
  return (document as { readonly baselines?: Readonly<Record<string, LooseFigures>> }).baselines ?? {};
}

function numbersOf(values: Readonly<Record<string, unknown>>): Figures {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
  );
}
