import type { NamedRun } from "./leaderboard.js";
import { publishedName } from "./reports/describe-result.js";
import type { SuiteDocument, TargetProblems } from "./result-document.js";
import { hashOf } from "./runner/inputs.js";
import { addProblems, describeFailures, noProblems } from "./runner/target-problems.js";
import { suiteOf } from "./suites/index.js";

type Figures = Readonly<Record<string, number | null>>;
type Intervals = Readonly<Record<string, readonly [number, number]>>;

interface Measured {
  readonly figures: Figures;
  readonly ci95: Intervals;
}

/** What one system reached on one set of cases. */
export interface SystemResult extends Measured {
  readonly system: string;
  /** The same over the cases whose cell does not stand verbatim in the index, where some do. */
  readonly withoutCopies?: Measured;
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
  /** The best by the decisive figure first. */
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
  const put = (system: string, measured: LooseFigures, command: string | null) => {
    // A run of its own says more than a line in another one's.
    if (command === null && systems.get(system)?.command != null) return;
    const fewer = first!.counts.copies === 0 ? undefined : measured.withoutCopies;
    systems.set(system, {
      system,
      ...measuredOf(measured),
      command,
      ...(fewer && { withoutCopies: measuredOf(fewer) }),
    });
  };
  // Other targets have none of these settings, which does not set our runs apart.
  const ours = documents.filter(({ config }) => typeof config.target !== "string");
  const varied = VARIED.filter((option) => new Set(ours.map(({ config }) => config[option])).size > 1);
  for (const document of documents) {
    const own = `${systemOf(document, varied)}${failuresOf(document)}`;
    const { withoutCopies } = document as Pick<LooseFigures, "withoutCopies">;
    const measured = { metrics: suite.figures(document), ci95: document.ci95, ...(withoutCopies && { withoutCopies }) };
    put(own, measured, document.manifest.command ?? null);
    for (const [name, baseline] of Object.entries(baselinesOf(document))) {
      const isOwn = name.startsWith("recommender, ");
      put(isOwn ? name.replace("recommender", own) : `baseline:${name}`, baseline, null);
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
    systems:
      decisive === undefined ? [...systems.values()] : bestFirst([...systems.values()], decisive, better(decisive)),
    published,
  };
}

function bestFirst(systems: readonly SystemResult[], decisive: string, better: "higher" | "lower"): SystemResult[] {
  const worst = better === "higher" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const figureOf = ({ figures }: SystemResult) => figures[decisive] ?? worst;
  const sign = better === "higher" ? -1 : 1;
  return systems.toSorted((one, other) => sign * (figureOf(one) - figureOf(other)) || 0);
}

/** A figure of a target that failed to answer is no figure of its answers. */
function failuresOf(document: SuiteDocument): string {
  const { target } = (document.problems ?? {}) as { readonly target?: Partial<TargetProblems> };
  const failures = target === undefined ? "" : describeFailures(addProblems(noProblems(), target));
  return failures === "" ? "" : ` (failed: ${failures})`;
}

/** Settings that tell runs of this recommender apart, where they are not the same in all. */
const VARIED = ["filter", "mode", "diversity", "k"];

/** What was measured: the target, or this recommender by its embedder and what else differs. */
function systemOf({ config }: SuiteDocument, varied: readonly string[]): string {
  if (typeof config.target === "string") return config.target;
  const [maker] = [config.embedder, config.labeller].filter((part) => typeof part === "string");
  // Name and revision; what follows says how texts become vectors.
  const parts = maker === undefined ? [] : [/^[^@]*@[^/:]*/.exec(maker)?.[0] ?? maker];
  const stages = config.stages === 1 ? ["one stage"] : [];
  return ["celrec", ...parts, ...stages, ...varied.map((option) => `${option} ${String(config[option])}`)].join(", ");
}

/** The same inputs, the index included, have the same hash; a short piece of it tells two sets of the same size apart. */
function describeCases({ counts, manifest }: SuiteDocument): string {
  const count = counts.queries ?? counts.cases ?? counts.cells ?? 0;
  const hash = hashOf(manifest.inputs).slice(0, 4);
  return `${count} cases (${hash})`;
}

type LooseFigures = object & {
  readonly metrics?: Readonly<Record<string, unknown>>;
  readonly ci95?: Intervals;
  readonly withoutCopies?: LooseFigures;
};

function baselinesOf(document: SuiteDocument): Readonly<Record<string, LooseFigures>> {
  return (document as { readonly baselines?: Readonly<Record<string, LooseFigures>> }).baselines ?? {};
}

function measuredOf(measured: LooseFigures): Measured {
  const entries = Object.entries(measured.metrics ?? measured);
  const figures = entries.filter((entry): entry is [string, number] => typeof entry[1] === "number");
  return { figures: Object.fromEntries(figures), ci95: measured.ci95 ?? {} };
}

/** One figure of one system on one suite. */
export interface MatrixCell {
  readonly value: number | null;
  readonly ci95: readonly [number, number] | null;
}

/** Suites by systems: the figure to decide by of each. */
export interface Matrix {
  /** `suite: metric`, with the cases that they were measured on: figures of other cases stand in columns of their own. */
  readonly columns: readonly string[];
  readonly rows: readonly { readonly system: string; readonly cells: readonly (MatrixCell | null)[] }[];
}

/** The figures to decide by of all results in one table; a suite without such a figure is left out. */
export function makeMatrix(results: readonly SuiteResults[]): Matrix {
  const columns = results.flatMap(({ suite, cases, decisive, systems }) =>
    decisive === undefined ? [] : [{ name: `${suite}: ${decisive}, ${cases}`, decisive, systems }],
  );
  const all = [...new Set(columns.flatMap(({ systems }) => systems.map(({ system }) => system)))];
  // What was measured on most suites first, and baselines behind all others.
  const isBaseline = (system: string) => system.startsWith("baseline:");
  const widthOf = (system: string) =>
    columns.filter(({ systems }) => systems.some((one) => one.system === system)).length;
  const names = all.sort(
    (one, other) => Number(isBaseline(one)) - Number(isBaseline(other)) || widthOf(other) - widthOf(one),
  );
  return {
    columns: columns.map(({ name }) => name),
    rows: names.map((system) => ({
      system,
      cells: columns.map(({ decisive, systems }): MatrixCell | null => {
        const found = systems.find((one) => one.system === system);
        return found ? { value: found.figures[decisive] ?? null, ci95: found.ci95[decisive] ?? null } : null;
      }),
    })),
  };
}
