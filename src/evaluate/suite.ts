import type { z } from "zod";
import type { Embedder } from "../embed/embedder.js";
import type { Labeller } from "../label/labeller.js";
import type { NamedNotebook } from "../notebook/notebook.js";
import type { ReportDescription } from "./reports/description.js";
import type { Report, ReportTexts } from "./reports/write-reports.js";
import type { Figures, Manifest, SuiteDocument } from "./result-document.js";
import type { Journal } from "./runner/answer-journal.js";
import type { Pairing } from "./statistics/permutation.js";
import type { RequestSettings, Target } from "./target.js";

/** A flag of `celrec eval SUITE`, in addition to the common ones. Without `value` it is a switch. */
export interface SuiteOption {
  /** The flag in commander's syntax: `--seeds <path>`. A list option takes several values and may be repeated. */
  readonly flags: string;
  readonly description: string;
  readonly value?: "text" | "list" | { readonly min: number; readonly max: number };
  readonly required?: true;
  readonly fallback?: string | number | readonly string[];
  /** Shown in the help instead of the fallback itself. */
  readonly fallbackName?: string;
}

/** A figure that a run measures. */
export interface MeasuredMetric {
  readonly name: string;
  readonly better: "higher" | "lower";
}

type Setting = string | number | boolean | null;

/** The cases of a run, read and checked. */
export interface Prepared {
  /** Hash of every input, by role. Inputs and settings identify a run for resuming it. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, Setting>>;
}

/** Dependencies for reading cases. */
export interface CaseDeps {
  readonly mutators: readonly Mutator[];
  /** The environment, for looking up programs by name. */
  readonly env: Readonly<Record<string, string | undefined>>;
  labeller(): Promise<Labeller>;
  readNotebooks(paths: readonly string[]): Promise<NamedNotebook[]>;
  /** Prints a note. */
  note(text: string): void;
}

/** Dependencies of every run. */
export interface Bench {
  readonly manifest: Manifest;
  readonly signal: AbortSignal;
  readonly onProgress: (what: string, done: number, total: number) => void;
}

/** Dependencies of a run that asks a recommender: the target, and the journal of an interrupted run. */
export interface AskingBench<A = unknown> extends Bench {
  readonly target: Target;
  readonly embedder: Embedder;
  readonly k: number;
  readonly jobs: number;
  readonly journal: Journal<A>;
}

/** The suite's defaults for omitted flags; the service's defaults apply to the rest. */
export type RequestDefaults = Omit<RequestSettings, "filter">;

/** Makes cases out of notebooks. */
export type CaseBuilder = LinesBuilder | FolderBuilder;

interface BuilderParts {
  readonly description: string;
  /** Flags in addition to those of all builders. */
  readonly options?: readonly SuiteOption[];
}

/** Makes JSON lines. */
export interface LinesBuilder extends BuilderParts {
  /** The name of the lines in messages; by default `cases`. */
  readonly unit?: string;
  /** Whether the builder itself reads a file with this name; other files are read as notebooks. */
  reads?(path: string): boolean;
  build(notebooks: readonly NamedNotebook[], request: BuildRequest): readonly object[] | Promise<readonly object[]>;
}

/** Makes a folder of files. */
interface FolderBuilder extends BuilderParts {
  /** Writes the folder, and returns the counts of its content. */
  buildFolder(
    notebooks: readonly NamedNotebook[],
    folder: string,
    request: BuildRequest,
  ): Promise<Readonly<Record<string, number>>>;
}

export interface BuildRequest extends Pick<CaseDeps, "env" | "note" | "mutators" | "labeller"> {
  /** Paths of the notebooks, for data that parsing drops. */
  readonly paths: readonly string[];
  /** The values of the builder's flags. */
  readonly options: object;
}

interface SuiteParts<O, C extends Prepared, D extends SuiteDocument> {
  readonly name: string;
  readonly description: string;
  readonly options: readonly SuiteOption[];
  /** The report formats of the suite. */
  readonly reports: readonly Report[];
  /** The schema of the document that `--json` prints. */
  readonly schema: z.ZodType<D>;
  readonly builder?: CaseBuilder;
  /** The metrics of a run with these options, in the order of the report; INPUT_INVALID for an unknown one. */
  metrics(options: O): readonly MeasuredMetric[];
  cases(options: O, deps: CaseDeps): Promise<C>;
  /** The measured figures, by the names of `metrics`. */
  figures(document: D): Figures;
  /** The code for the ids of the document. */
  texts(cases: C): ReportTexts;
  /** Describes the report for terminal and files; the table `summary` comes first, `manifest` last. */
  describe(document: D, texts: ReportTexts): ReportDescription;
  /** Pairs two documents over the same cases; INPUT_INVALID if the cases differ. */
  pair(a: D, b: D): Pairing;
}

/** A suite that asks a recommender. `run` gives null if interrupted; the journal has the answers so far. */
export interface AskingSuite<O, C extends Prepared, D extends SuiteDocument> extends SuiteParts<O, C, D> {
  readonly asks: RequestDefaults;
  /** The default of `--k`; 3 if omitted. */
  k?(options: Omit<O, "k">): number;
  /** The values that `celrec eval ablation` tries for each flag. */
  readonly ablation?: Readonly<Record<string, readonly number[]>>;
  /** Keeps at most `max` cases, spread over all of them. */
  limit(cases: C, max: number): C;
  run(cases: C, bench: AskingBench): Promise<D | null>;
}

/** A suite that measures a part of this program without asking a recommender. */
export interface PlainSuite<O, C extends Prepared, D extends SuiteDocument> extends SuiteParts<O, C, D> {
  readonly asks: null;
  /** The flags of the program settings that the suite depends on. */
  readonly configured: readonly ("data" | "labels")[];
  run(cases: C, bench: Bench): Promise<D | null>;
}

/** Any suite, for code that is generic over suites. */
export type Suite = AskingSuite<object, Prepared, SuiteDocument> | PlainSuite<object, Prepared, SuiteDocument>;

export const MUTATOR_KINDS = ["preserving", "degrading", "hard-negative"] as const;

/**
 * A change to a cell. `preserving` keeps the meaning of the code, `degrading` destroys it, and `hard-negative` makes
 * code that looks similar but does something else.
 */
export interface Mutator {
  readonly name: string;
  readonly description: string;
  readonly kind: (typeof MUTATOR_KINDS)[number];
  /** The changed code, or the code itself if the operator does not apply. Pure: no clock, no random, no I/O. */
  apply(code: string): string;
}
