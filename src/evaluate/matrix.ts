import type { SuiteDocument } from "./document.js";
import type { NamedRun } from "./leaderboard.js";
import { suiteOf } from "./suites/index.js";

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

/** Puts all runs into one table; the baselines that stand in a run are systems too. Of two runs of a system the later counts. */
export function makeMatrix(runs: readonly NamedRun[]): Matrix {
  const columns = new Map<string, Map<string, MatrixCell>>();
  const put = (column: string, system: string, cell: MatrixCell) => {
    const known = columns.get(column) ?? new Map();
    columns.set(column, known.set(system, cell));
  };
  for (const { document } of runs) {
    const suite = suiteOf(document.suite);
    const { decisive } = suite.pair(document, document);
    if (decisive === undefined) continue;
    const column = `${document.suite}: ${decisive}, ${describeCases(document)}`;
    put(column, systemOf(document), cellOf(suite.figures(document), document.ci95, decisive));
    for (const [name, figures] of Object.entries(baselinesOf(document))) {
      put(column, `baseline:${name}`, cellOf(figures.metrics ?? figures, figures.ci95 ?? {}, decisive));
    }
  }
  const systems = [...new Set([...columns.values()].flatMap((column) => [...column.keys()]))];
  return {
    columns: [...columns.keys()],
    rows: systems.map((system) => ({
      system,
      cells: [...columns.values()].map((column) => column.get(system) ?? null),
    })),
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
  readonly ci95?: Readonly<Record<string, readonly [number, number]>>;
};

function baselinesOf(document: SuiteDocument): Readonly<Record<string, LooseFigures>> {
  return (document as { readonly baselines?: Readonly<Record<string, LooseFigures>> }).baselines ?? {};
}

function cellOf(
  figures: Readonly<Record<string, unknown>>,
  ci95: Readonly<Record<string, readonly [number, number]>>,
  metric: string,
): MatrixCell {
  const value = figures[metric];
  return { value: typeof value === "number" ? value : null, ci95: ci95[metric] ?? null };
}
