import type { NamedRun } from "./compare-results.js";
import { isOwnRun, publishedName, targetName } from "./reports/describe-result.js";
import type { SuiteDocument, TargetProblems } from "./result-document.js";
import { addProblems, describeFailures, noProblems } from "./runner/ask-target.js";
import { hashOf } from "./runner/inputs.js";
import { suiteOf } from "./suites/index.js";

type Figures = Readonly<Record<string, number | null>>;
type Intervals = Readonly<Record<string, readonly [number, number]>>;

interface Measured {
  readonly figures: Figures;
  readonly ci95: Intervals;
}

/** The figures of one system on one set of cases. */
export interface SystemResult extends Measured {
  readonly system: string;
  /** The figures without cases whose cell is in the index, if there are such cases. */
  readonly withoutCopies?: Measured;
  /** The command that repeats the run; null for baselines of another run and for published figures. */
  readonly command: string | null;
}

/** All systems measured on the same cases of a suite. */
export interface SuiteResults {
  readonly suite: string;
  /** Number of cases, and the start of their hash. */
  readonly cases: string;
  readonly metrics: readonly { readonly name: string; readonly better: "higher" | "lower" }[];
  readonly decisive: string | undefined;
  /** Best main metric first. */
  readonly systems: readonly SystemResult[];
  /** Published figures. */
  readonly published: readonly SystemResult[];
}

/** Groups runs by suite and cases. If a system has several runs, the latest counts. */
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
    // A system's own run takes precedence over its row in another run.
    if (command === null && systems.get(system)?.command != null) return;
    const fewer = first!.counts.copies === 0 ? undefined : measured.withoutCopies;
    systems.set(system, {
      system,
      ...measuredOf(measured),
      command,
      ...(fewer && { withoutCopies: measuredOf(fewer) }),
    });
  };
  // Other targets have none of these settings, so they are not compared.
  const ours = documents.filter(isOwnRun);
  const varied = VARIED_SETTINGS.filter((option) => new Set(ours.map(({ config }) => config[option])).size > 1);
  for (const document of documents) {
    const own = `${targetName(document, varied)}${failuresOf(document)}`;
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
      decisive === undefined ? [...systems.values()] : sortBestFirst([...systems.values()], decisive, better(decisive)),
    published,
  };
}

function sortBestFirst(systems: readonly SystemResult[], decisive: string, better: "higher" | "lower"): SystemResult[] {
  const worst = better === "higher" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const figureOf = ({ figures }: SystemResult) => figures[decisive] ?? worst;
  const sign = better === "higher" ? -1 : 1;
  return systems.toSorted((one, other) => sign * (figureOf(one) - figureOf(other)) || 0);
}

/** A note about failed questions for the name of a target; empty if none failed. */
function failuresOf(document: SuiteDocument): string {
  const { target } = (document.problems ?? {}) as { readonly target?: Partial<TargetProblems> };
  const failures = target === undefined ? "" : describeFailures(addProblems(noProblems(), target));
  return failures === "" ? "" : ` (failed: ${failures})`;
}

/** Settings that are part of a system's name if they differ between runs. */
const VARIED_SETTINGS = ["filter", "mode", "diversity", "k"];

/** The number of cases, and the start of a hash over all inputs, the index included. */
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
interface MatrixCell {
  readonly value: number | null;
  readonly ci95: readonly [number, number] | null;
}

/** The main metric of every suite, by system. */
export interface Matrix {
  /** `suite: metric` with the cases, since different cases need a column of their own. */
  readonly columns: readonly string[];
  readonly rows: readonly { readonly system: string; readonly cells: readonly (MatrixCell | null)[] }[];
}

/** The main metrics of all results in one table; a suite without one is left out. */
export function makeMatrix(results: readonly SuiteResults[]): Matrix {
  const columns = results.flatMap(({ suite, cases, decisive, systems }) =>
    decisive === undefined ? [] : [{ name: `${suite}: ${decisive}, ${cases}`, decisive, systems }],
  );
  const all = [...new Set(columns.flatMap(({ systems }) => systems.map(({ system }) => system)))];
  // Systems measured on most suites first, baselines last.
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
