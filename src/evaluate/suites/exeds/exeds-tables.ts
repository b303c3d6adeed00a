import { z } from "zod";
import { tokenize } from "../../../python/tokenize.js";
import { guessAnswerType, outputValue } from "../../metrics/output-em.js";
import type { PredictedCase } from "../../predictions/prediction-result.js";
import { countColumn, figureColumn, type Section, type Table, textColumn } from "../../reports/description.js";
import { groupBy } from "../../statistics/bootstrap.js";
import type { Execution } from "./exeds-execute.js";
import type { Problem } from "./exeds-problems.js";

/** The number of problems of one kind, and how many of them are solved by the raw and by the adapted code. */
const kindSchema = z.strictObject({
  name: z.string(),
  problems: z.int(),
  outputEm: z.number().nullable(),
  adaptedOutputEm: z.number().nullable(),
});
const countsSchema = z.record(z.string(), z.int());
const bothSchema = z.strictObject({ raw: countsSchema, adapted: countsSchema });

/** The tables of the paper, by its numbers: 2, 3 and 4 are about the problems, 6 and 7 about the predictions. */
export const tablesSchema = z.strictObject({
  functions: z.array(kindSchema),
  libraries: z.array(kindSchema),
  outputTypes: z.array(kindSchema),
  exceptions: bothSchema,
  wrongOutputs: bothSchema,
});

type ExedsTables = z.infer<typeof tablesSchema>;

/**
 * The function of a problem's code, in the classes of the paper. In the paper, people assigned them; here they are
 * derived from the names of calls and attributes.
 */
const FUNCTIONS = [
  "data statistics",
  "data exploration",
  "machine learning",
  "data properties",
  "data manipulation",
  "math",
  "display",
] as const;
type FunctionKind = (typeof FUNCTIONS)[number];

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const FUNCTION_NAMES: readonly (readonly [FunctionKind, ReadonlySet<string>])[] = [
  [
    "data statistics",
    words(
      "mean median mode sum count value_counts describe corr cov std var min max quantile percentile average agg aggregate " +
        "crosstab pivot_table idxmax idxmin argmax argmin skew kurt kurtosis cumsum ttest_ind pearsonr spearmanr histogram " +
        "nunique size_by rank pct_change bincount",
    ),
  ],
  [
    "data exploration",
    words(
      "head tail sample loc iloc query unique sort_values nlargest nsmallest sort_index isin filter get_group xs items",
    ),
  ],
  [
    "data properties",
    words(
      "shape columns dtypes dtype info index size ndim len isnull isna notnull notna memory_usage keys type values",
    ),
  ],
  [
    "data manipulation",
    words(
      "merge concat join append drop dropna fillna replace rename apply map applymap astype pivot melt stack unstack assign " +
        "reset_index set_index drop_duplicates get_dummies cut qcut to_datetime transform explode split strip lower upper insert",
    ),
  ],
  [
    "math",
    words(
      "sqrt exp log log10 log2 sin cos tan dot matmul inv det solve norm abs power pow linspace arange zeros ones reshape " +
        "array eye cross outer floor ceil factorial random randint integrate minimize",
    ),
  ],
];
/** Names that make a cell machine learning, at any position. */
const LEARNING_NAMES =
  /^(fit|fit_transform|fit_predict|predict|predict_proba|score|train_test_split|cross_val_score|cross_validate|GridSearchCV|coef_|intercept_|feature_importances_|classification_report|confusion_matrix|mean_\w+_error|r2_score|roc_auc_score|evaluate|best_params_|best_score_|\w+(Classifier|Regressor|Regression)|\w+_score)$/;

/** @example functionOf("df['price'].mean()") // "data statistics" */
export function functionOf(code: string): FunctionKind {
  const names = tokenize(code)
    .filter(({ kind }) => kind === "name")
    .map(({ text }) => text);
  if (names.some((name) => LEARNING_NAMES.test(name))) return "machine learning";
  for (const name of names.toReversed()) {
    const found = FUNCTION_NAMES.find(([, known]) => known.has(name));
    if (found !== undefined) return found[0];
  }
  return /[^=!<>]=[^=]|[-+*/%]/.test(code.replace(/(["']).*?\1/g, "")) ? "math" : "display";
}

/** The packages that the cells above and the reference import, without submodules. */
export function librariesOf({ before, reference }: Pick<Problem, "before" | "reference">): Set<string> {
  const found = new Set<string>();
  for (const line of [...before, reference].join("\n").split("\n")) {
    const [, from, imported] = /^\s*(?:from\s+([\w.]+)\s+import\b|import\s+([^#]+))/.exec(line) ?? [];
    for (const name of (from ?? imported ?? "").split(",")) {
      const [top] = name.trim().split(/[.\s]/);
      if (top) found.add(top);
    }
  }
  return found;
}

const OUTPUT_TYPES = ["number", "list, tuple or array", "data frame or several lines", "text"] as const;

/** numpy 2 shows its scalars with their type: `np.float64(0.5)`. */
const SCALAR = /\bnp\.\w+\(([^()]*)\)/g;

/** The class of the assigned answer type; without one, the class that the output looks like. */
export function outputTypeOf({ output, answerType }: Pick<Problem, "output" | "answerType">): string {
  const type = answerType || guessAnswerType(output.replace(SCALAR, "$1"));
  if (type === "number") return OUTPUT_TYPES[0];
  if (type.startsWith("array")) return OUTPUT_TYPES[1];
  return type === "df" ? OUTPUT_TYPES[2] : OUTPUT_TYPES[3];
}

/** Table 6. The first two are ExeDS's own categories, counted by its program's rules. */
const EXCEPTIONS: readonly (readonly [name: string, errors: RegExp])[] = [
  [
    "variable or API not defined",
    /^(NameError|UnboundLocalError|UndefinedVariableError|ModuleNotFoundError|ImportError)$/,
  ],
  ["invalid syntax", /^(SyntaxError|IndentationError|TabError)$/],
  ["key, column or index not found", /^(KeyError|IndexError|InvalidIndexError|LookupError)$/],
  ["wrong attribute, type or value", /^(AttributeError|TypeError|ValueError|NotFittedError)$/],
  ["other exception", /^\w+(Error|Exception|Warning|Interrupt|Exit|Iteration)$/],
];

/** The category of how code ended; null for code that ran, a limit, no prediction, or cells above that failed. */
export function exceptionOf(ended: string): string | null {
  return EXCEPTIONS.find(([, errors]) => errors.test(ended))?.[0] ?? null;
}

/** Kinds of wrong output (Table 7). */
const WRONG_OUTPUTS = ["no output", "nothing right", "partly right", "too little", "too much"] as const;
type WrongOutput = (typeof WRONG_OUTPUTS)[number];

/**
 * The kind of error in the output of code that ran. The values of both outputs are compared as multisets, numbers at
 * two decimals.
 * @example wrongOutput("3 5", "3") // "too much"
 */
export function wrongOutput(given: string, wanted: string): WrongOutput {
  const [mine, theirs] = [valuesOf(given), valuesOf(wanted)];
  if (mine.length === 0) return "no output";
  const left = new Map<string, number>();
  for (const value of theirs) left.set(value, (left.get(value) ?? 0) + 1);
  const shared = mine.filter((value) => {
    const count = left.get(value) ?? 0;
    left.set(value, count - 1);
    return count > 0;
  }).length;
  if (shared === 0) return "nothing right";
  if (shared === theirs.length && mine.length > shared) return "too much";
  return shared === mine.length && theirs.length > shared ? "too little" : "partly right";
}

const valuesOf = (output: string): string[] =>
  outputValue(output).match(/-?\d+(?:\.\d+)?|[\p{L}_][\p{L}\p{N}_]*/gu) ?? [];

/** The note of a case that ran: `right`, or the kind of error in its output. */
export function outputNote({ output }: Execution, isRight: boolean, wanted: string): string {
  return isRight ? "right" : wrongOutput(output, wanted);
}

export function makeTables(problems: readonly Problem[], cases: readonly PredictedCase[]): ExedsTables {
  const byId = new Map(cases.map((each) => [each.id, each]));
  const rate = (of: readonly Problem[], metric: string) => {
    const values = of.flatMap(({ id }) => byId.get(id)?.values[metric] ?? []);
    return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  const tabulate = (kindsOf: (problem: Problem) => Iterable<string>) => {
    const pairs = problems.flatMap((problem) => Array.from(kindsOf(problem), (kind) => ({ kind, problem })));
    return [...groupBy(pairs, ({ kind }) => kind)]
      .map(([name, found]) => {
        const of = found.map(({ problem }) => problem);
        const figures = { outputEm: rate(of, "output-em"), adaptedOutputEm: rate(of, "adapted-output-em") };
        return { name, problems: of.length, ...figures };
      })
      .sort((a, b) => b.problems - a.problems || (a.name < b.name ? -1 : 1));
  };
  const count = (order: readonly string[], noteOf: (each: PredictedCase) => string | null | undefined) => {
    const found = cases.map(noteOf);
    return Object.fromEntries(order.map((name) => [name, found.filter((note) => note === name).length]));
  };
  const both = (order: readonly string[], noteOf: (each: PredictedCase, kind: "raw" | "adapted") => string | null) => ({
    raw: count(order, (each) => noteOf(each, "raw")),
    adapted: count(order, (each) => noteOf(each, "adapted")),
  });
  return {
    functions: tabulate(({ reference }) => [functionOf(reference)]),
    libraries: tabulate(librariesOf),
    outputTypes: tabulate((problem) => [outputTypeOf(problem)]),
    exceptions: both(
      EXCEPTIONS.map(([name]) => name),
      ({ notes }, kind) => exceptionOf(notes?.[kind] ?? ""),
    ),
    wrongOutputs: both(WRONG_OUTPUTS, ({ notes }, kind) => notes?.[`${kind} output`] ?? null),
  };
}

/** The sections of a report on the problems and on the errors of the predictions. */
export function tableSections({ functions, libraries, outputTypes, exceptions, wrongOutputs }: ExedsTables): Section[] {
  const all = outputTypes.reduce((sum, { problems }) => sum + problems, 0);
  const kinds = (name: string, title: string, rows: ExedsTables["functions"]): Table => ({
    kind: "table",
    name,
    columns: [
      textColumn(title),
      countColumn("problems"),
      figureColumn("share"),
      figureColumn("output-em"),
      figureColumn("adapted-output-em"),
    ],
    rows: () =>
      rows.map(({ name: kind, problems, outputEm, adaptedOutputEm }) => [
        kind,
        problems,
        problems / all,
        outputEm,
        adaptedOutputEm,
      ]),
    page: { layout: "captioned" },
  });
  const counts = (name: string, title: string, { raw, adapted }: ExedsTables["exceptions"]): Table => ({
    kind: "table",
    name,
    columns: [textColumn(title), countColumn("raw code"), countColumn("adapted code")],
    rows: () => Object.keys(raw).map((each) => [each, raw[each]!, adapted[each]!]),
    terminal: { layout: "rows" },
    page: { layout: "captioned" },
  });
  return [
    {
      id: "problems",
      title: "The problems",
      note: "Tables 2, 3 and 4 of the paper. A rule assigns the function; a problem counts for every library that its notebook imports.",
      blocks: [
        kinds("functions", "function", functions),
        kinds("libraries", "library", libraries),
        kinds("output types", "output", outputTypes),
      ],
    },
    {
      id: "errors",
      title: "Errors in the predictions",
      note: "Tables 6 and 7 of the paper: predictions that ended with an exception, and those that ran and printed something else.",
      blocks: [counts("exceptions", "exception", exceptions), counts("wrong outputs", "wrong output", wrongOutputs)],
    },
  ];
}
