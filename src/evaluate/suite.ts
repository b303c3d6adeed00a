import type { z } from "zod";
import type { Embedder } from "../embed/embedder.js";
import type { Labeller } from "../label/labeller.js";
import type { NamedNotebook } from "../notebook/notebook.js";
import type { ReportDescription } from "./reports/description.js";
import type { Report, ReportTexts } from "./reports/report.js";
import type { Figures, Manifest, SuiteDocument } from "./result-document.js";
import type { Journal } from "./runner/journal.js";
import type { Pairing } from "./statistics/pairing.js";
import type { RequestSettings, Target } from "./target.js";

/** A flag of `celrec eval SUITE`, beside those that all suites have. Without `value` it is one that is there or not. */
export interface SuiteOption {
  /** As commander writes it: `--seeds <path>`; a list takes several values, and may be repeated. */
  readonly flags: string;
  readonly description: string;
  readonly value?: "text" | "list" | { readonly min: number; readonly max: number };
  readonly required?: true;
  readonly fallback?: string | number | readonly string[];
  /** What the help says instead of the fallback itself. */
  readonly fallbackName?: string;
}

/** A figure that a run measures. */
export interface MeasuredMetric {
  readonly name: string;
  readonly better: "higher" | "lower";
}

type Setting = string | number | boolean | null;

/** What a suite is going to ask, read and checked. */
export interface Prepared {
  /** Hash of every input, by its role: with the settings they name a run, so that it can be resumed. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, Setting>>;
}

/** What a suite may need to read its cases. */
export interface CaseDeps {
  readonly mutators: readonly Mutator[];
  /** For programs that are looked for by their name. */
  readonly env: Readonly<Record<string, string | undefined>>;
  labeller(): Promise<Labeller>;
  readNotebooks(paths: readonly string[]): Promise<NamedNotebook[]>;
  /** News for people. */
  note(text: string): void;
}

/** What every run has beside its cases. */
export interface Bench {
  readonly manifest: Manifest;
  readonly signal: AbortSignal;
  readonly onProgress: (what: string, done: number, total: number) => void;
}

/** What a run has that asks a recommender: the recommender, and the answers that an interrupted run left. */
export interface AskingBench<A = unknown> extends Bench {
  readonly target: Target;
  readonly embedder: Embedder;
  readonly k: number;
  readonly jobs: number;
  readonly journal: Journal<A>;
}

/** What a suite asks for where the command line does not say; the service's own defaults for the rest. */
export type RequestDefaults = Omit<RequestSettings, "filter">;

/** Makes cases out of notebooks. */
export interface CaseBuilder {
  readonly description: string;
  /** What its lines are, where they are not the cases themselves. */
  readonly unit?: string;
  /** Flags beside those that all builders have. */
  readonly options?: readonly SuiteOption[];
  build(notebooks: readonly NamedNotebook[], request: BuildRequest): readonly object[] | Promise<readonly object[]>;
}

export interface BuildRequest extends Pick<CaseDeps, "env" | "note"> {
  /** Where the notebooks were read from, for what a parsed notebook does not keep. */
  readonly paths: readonly string[];
  /** The values of its flags. */
  readonly options: object;
}

interface SuiteParts<O, C extends Prepared, D extends SuiteDocument> {
  readonly name: string;
  readonly description: string;
  readonly options: readonly SuiteOption[];
  /** The formats that it can be written in. */
  readonly reports: readonly Report[];
  /** Of the document that `--json` prints. */
  readonly schema: z.ZodType<D>;
  readonly builder?: CaseBuilder;
  /** What a run with these options measures, in the order of the report; INPUT_INVALID where they name what it cannot. */
  metrics(options: O): readonly MeasuredMetric[];
  cases(options: O, deps: CaseDeps): Promise<C>;
  /** The measured figures, by the names of `metrics`. */
  figures(document: D): Figures;
  /** The code behind the ids of the document. */
  texts(cases: C): ReportTexts;
  /** What reports show of the document, on the terminal and in files: the table `summary` first, `manifest` last. */
  describe(document: D, texts: ReportTexts): ReportDescription;
  /** What both documents measured on the same cases; INPUT_INVALID where the cases were not the same. */
  pair(a: D, b: D): Pairing;
}

/** A suite that asks a recommender. `run` gives null where it was interrupted; the journal has what there is. */
export interface AskingSuite<O, C extends Prepared, D extends SuiteDocument> extends SuiteParts<O, C, D> {
  readonly asks: RequestDefaults;
  run(cases: C, bench: AskingBench): Promise<D | null>;
}

/** A suite that measures a part of this program by itself. */
export interface PlainSuite<O, C extends Prepared, D extends SuiteDocument> extends SuiteParts<O, C, D> {
  readonly asks: null;
  /** The settings of the program that it depends on, by their flags. */
  readonly configured: readonly ("data" | "labels")[];
  run(cases: C, bench: Bench): Promise<D | null>;
}

/** Any suite, for code that treats all of them alike. */
export type Suite = AskingSuite<object, Prepared, SuiteDocument> | PlainSuite<object, Prepared, SuiteDocument>;

export const MUTATOR_KINDS = ["preserving", "degrading", "hard-negative"] as const;

/** A change to a cell. `preserving` keeps its meaning, `degrading` spoils it, `hard-negative` looks alike and does something else. */
export interface Mutator {
  readonly name: string;
  readonly description: string;
  readonly kind: (typeof MUTATOR_KINDS)[number];
  /** The changed code, or the code itself where the operator does not apply. Pure: no clock, no random, no I/O. */
  apply(code: string): string;
}
