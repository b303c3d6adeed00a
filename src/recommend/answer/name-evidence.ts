import { subwords } from "../../python/subwords.js";
import type { LogicalLine } from "./source-lines.js";
import { kindsOfUse } from "./value-kinds.js";

/** The roles of a name, each with its weight as evidence. */
export interface NameEvidence {
  readonly parts: Map<string, number>;
  /** Index of the last line that contains the name. */
  lastLine: number;
}

/** The weight of a shared role, by the kind of role. */
const EVIDENCE = {
  method: 1,
  attribute: 1,
  item: 1.2,
  value: 1.5,
  argument: 1,
  word: 0.8,
  kind: 0.9,
  purpose: 0.9,
  loop: 0.4,
} as const;

/**
 * Collects the roles of each name: its methods, the values assigned to it, its keys, the calls it is passed to, and the
 * words of the name itself.
 */
export function collectEvidence(
  lines: readonly LogicalLine[],
  originsOf: OriginsOf = () => [],
): Map<string, NameEvidence> {
  const found = new Map<string, NameEvidence>();
  for (let row = 0; row < lines.length; row += 1) {
    const line = lines[row]!;
    if (!line.roles.includes("free")) continue;
    const values = readValues(line);
    const calls = enclosingCalls(line);
    for (let at = 0; at < line.tokens.length; at += 1) {
      if (line.roles[at] !== "free") continue;
      const name = line.tokens[at]!.text;
      const value = values.get(at);
      let evidence = found.get(name);
      if (evidence === undefined) {
        evidence = startEvidence(name);
        found.set(name, evidence);
      }
      evidence.lastLine = row;
      if (value !== undefined) for (const part of value) add(evidence, part, EVIDENCE.value);
      addUse(evidence, line, at, calls[at]);
    }
  }
  for (const [name, evidence] of found) {
    for (const part of originsOf(name)) add(evidence, part, EVIDENCE.value);
    for (const kind of kindsOfUse(evidence.parts.keys())) add(evidence, kind, EVIDENCE.kind);
    for (const purpose of purposesOf(evidence.parts.keys())) add(evidence, purpose, EVIDENCE.purpose);
  }
  return found;
}

/** The calls that make the value of each name, such as `=read_csv`. */
export type NameOrigins = ReadonlyMap<string, readonly string[]>;

export type OriginsOf = (name: string) => readonly string[];

/** Finds the last assignment of each of the names. */
export function findOrigins(lines: Iterable<LogicalLine>, names: ReadonlySet<string>): Map<string, readonly string[]> {
  const origins = new Map<string, readonly string[]>();
  for (const line of lines) {
    if (!line.tokens.some(({ text }) => names.has(text))) continue;
    for (const [at, calls] of readValues(line)) {
      const { text } = line.tokens[at]!;
      if (names.has(text) && calls.length > 0) origins.set(text, calls);
    }
  }
  return origins;
}

function startEvidence(name: string): NameEvidence {
  const parts = new Map(
    subwords(name).map((word) => [`word ${word}`, word.length > 1 ? EVIDENCE.word : EVIDENCE.word / 2]),
  );
  return { parts, lastLine: 0 };
}

function add({ parts }: NameEvidence, part: string, weight: number): void {
  parts.set(part, weight);
}

function addUse(evidence: NameEvidence, { tokens }: LogicalLine, at: number, call: string | undefined): void {
  const next = tokens[at + 1];
  if (next?.text === "." && tokens[at + 2]?.kind === "name") {
    const isCalled = tokens[at + 3]?.text === "(";
    add(evidence, `.${tokens[at + 2]!.text}${isCalled ? "()" : ""}`, isCalled ? EVIDENCE.method : EVIDENCE.attribute);
  }
  if (next?.text === "[") {
    const index = tokens[at + 2];
    if (index?.kind === "string") add(evidence, `[${index.text.slice(1, -1)}]`, EVIDENCE.item);
    add(evidence, "[]", EVIDENCE.loop);
  }
  if (next?.text === "(") add(evidence, "()", EVIDENCE.loop);
  if (call !== undefined) add(evidence, call, EVIDENCE.argument);
  const before = tokens[at - 1]?.text;
  if (before === "for" || (before === "," && tokens[0]!.text === "for")) add(evidence, "for", EVIDENCE.loop);
  if (before === "in") add(evidence, "in", EVIDENCE.loop);
}

/** For each name that a line assigns, where its value comes from. The key is the index of the name's token. */
type LineValues = ReadonlyMap<number, readonly string[]>;

const NO_VALUES: LineValues = new Map();
/** Cached as long as the tokens of the line exist, because several parts of an answer read the same line. */
const valuesOf = new WeakMap<LogicalLine["tokens"], LineValues>();

/**
 * The calls that make each assigned value, such as `=read_csv`. If a line assigns to several names, the position is
 * included.
 */
export function readValues(line: LogicalLine): LineValues {
  let values = valuesOf.get(line.tokens);
  if (values === undefined) {
    values = findValues(line);
    valuesOf.set(line.tokens, values);
  }
  return values;
}

function findValues({ tokens, roles }: LogicalLine): LineValues {
  if (tokens[0]!.text === "with") return readOpened({ tokens, roles });
  const equals = findAssignment(tokens);
  if (equals === -1) return NO_VALUES;
  const values = new Map<number, string[]>();
  const made = callsOf(tokens, equals + 1, tokens.length);
  const targets: number[] = [];
  let depth = 0;
  for (let at = 0; at < equals; at += 1) {
    const { text } = tokens[at]!;
    if (text === "(" || text === "[") depth += 1;
    else if (text === ")" || text === "]") depth -= 1;
    const next = tokens[at + 1]?.text;
    if (depth <= 1 && roles[at] === "free" && (next === "," || next === "=" || next === ")")) targets.push(at);
  }
  for (const [index, at] of targets.entries()) {
    values.set(
      at,
      targets.length > 1
        ? made.map((call) => `=${call} ${index}`)
        : [...made.map((call) => `=${call}`), ...filesOf(tokens.slice(equals + 1))],
    );
  }
  return values;
}

const MAX_CALLS = 3;

/** The first names that are called between `from` and `to`. */
function callsOf(tokens: LogicalLine["tokens"], from: number, to: number): string[] {
  const calls: string[] = [];
  for (let at = from; at + 1 < to && calls.length < MAX_CALLS; at += 1)
    if (tokens[at]!.kind === "name" && tokens[at + 1]!.text === "(") calls.push(tokens[at]!.text);
  return calls;
}

/** Prefix of the role of a value that is read from a file. */
export const FROM_FILE = "=file ";
const READS = /^(?:read|load)_/;
const FILE_NAME = /([^/\\]+\.\w{2,8})['"]$/;

/** The name of the file that a value is read from, without its folder. */
function filesOf(tokens: LogicalLine["tokens"]): string[] {
  if (!tokens.some(({ kind, text }, at) => kind === "name" && READS.test(text) && tokens[at + 1]?.text === "("))
    return [];
  const names = tokens.flatMap(({ kind, text }) => (kind === "string" ? (FILE_NAME.exec(text)?.[1] ?? []) : []));
  return names.slice(0, 1).map((name) => `${FROM_FILE}${name.replace(/^['"]/, "")}`);
}

/** `with open(path) as file` assigns to `file`, like `file = open(path)`. */
function readOpened({ tokens, roles }: LogicalLine): LineValues {
  const values = new Map<number, string[]>();
  let start = 0;
  for (const [at, { text }] of tokens.entries()) {
    if (text !== "as" || roles[at + 1] !== "free") continue;
    values.set(
      at + 1,
      callsOf(tokens, start, at).map((call) => `=${call}`),
    );
    start = at + 1;
  }
  return values;
}

/** Index of the first `=` outside brackets, -1 without one. */
function findAssignment(tokens: LogicalLine["tokens"]): number {
  let depth = 0;
  for (let at = 0; at < tokens.length; at += 1) {
    const { text, kind } = tokens[at]!;
    if (kind !== "operator") continue;
    if (text === "(" || text === "[" || text === "{") depth += 1;
    else if (text === ")" || text === "]" || text === "}") depth -= 1;
    else if (text === "=" && depth === 0) return at;
  }
  return -1;
}

/** For each token that starts an argument and is not called: its call and its position or keyword, such as `>fit 0` or `>plot data=`. */
function enclosingCalls({ tokens, roles }: LogicalLine): (string | undefined)[] {
  const open: { name: string | null; index: number }[] = [];
  return tokens.map(({ text, kind }, at) => {
    const inner = open.at(-1);
    if (kind === "operator") {
      if (text === "(" || text === "[" || text === "{") {
        const name = text === "(" && tokens[at - 1]?.kind === "name" ? tokens[at - 1]!.text : null;
        open.push({ name, index: 0 });
      } else if (text === ")" || text === "]" || text === "}") open.pop();
      else if (text === "," && inner !== undefined) inner.index += 1;
      return undefined;
    }
    if (kind !== "name" || inner?.name == null || tokens[at + 1]?.text === "(") return undefined;
    const before = tokens[at - 1]?.text;
    if (before === "=" && roles[at - 2] === "keyword") return `>${inner.name} ${tokens[at - 2]!.text}=`;
    return before === "(" || before === "," ? `>${inner.name} ${inner.index}` : undefined;
  });
}

/**
 * The purpose of a table or array in training, by its roles: `>fit 0` is the first argument of `fit`. These are names
 * of libraries, not of users.
 */
const USES: Readonly<Record<string, string>> = {
  split: ">train_test_split 0",
  "split along": ">train_test_split 1",
  "learn from": "=train_test_split 0,>fit 0,>fit X=,>cross_val_score 1,>cross_val_predict 1",
  "try on": "=train_test_split 1,>predict 0,>predict_proba 0,>evaluate 0",
  learn: "=train_test_split 2,>fit 1,>fit y=,>cross_val_score 2,>cross_val_predict 2",
  "check against":
    "=train_test_split 3,>evaluate 1,>score 1,>accuracy_score 0,>confusion_matrix 0,>classification_report 0,>f1_score 0,>roc_auc_score 0," +
    ">roc_curve 0,>precision_score 0,>recall_score 0,>mean_squared_error 0,>mean_absolute_error 0,>r2_score 0",
};

const PURPOSE_OF_USE = new Map(
  Object.entries(USES).flatMap(([purpose, uses]) => uses.split(",").map((use) => [use, `to ${purpose}`] as const)),
);

/** The likely purposes of a value, derived from the roles of its name. */
function purposesOf(parts: Iterable<string>): Set<string> {
  const purposes = new Set<string>();
  for (const part of parts) {
    const purpose = PURPOSE_OF_USE.get(part);
    if (purpose !== undefined) purposes.add(purpose);
  }
  return purposes;
}
