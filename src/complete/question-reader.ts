import type { CompleteContext, VariableFacts } from "./completion-request.js";
import { type CursorState, NO_HINT, nextHint, startState } from "./cursor-state.js";
import { topicOf, wordsOf } from "./name-parts.js";
import { type FactsLayer, joinLayers, type NotebookFacts, readLayer } from "./notebook-facts.js";
import { createScope, type NameRoles, type Scope } from "./roles.js";
import { appendCell, emptyStream, push, type TokenStream } from "./stream.js";
import { type CodeToken, type CursorTokens, readCell, readPrefix } from "./tokens.js";
import { extendVocabulary, type Vocabulary } from "./vocabulary.js";

/** A parsed question, ready for the search. */
export interface PreparedQuestion {
  readonly cursor: CursorTokens;
  readonly state: CursorState;
  readonly facts: NotebookFacts;
  readonly vocabulary: Vocabulary;
  /** Base names of the files that the notebook already reads. */
  readonly loaded: ReadonlySet<string>;
}

/** Maximum number of characters read of the notebook, nearest cells first. */
const MAX_CONTEXT_CHARS = 120_000;
const MAX_PREFIX_CHARS = 20_000;
/** Maximum number of cells read below the cell with the cursor. */
const MAX_AFTER = 5;
const MAX_VARIABLES = 300;
const MAX_COLUMNS = 200;
/** Number of cached notebooks. */
const MAX_CACHED_NOTEBOOKS = 16;

/** The part of a question that stays the same while a cell is typed. */
interface PreparedNotebook {
  readonly layer: FactsLayer;
  readonly loaded: ReadonlySet<string>;
  readonly scope: Scope;
  readonly vocabulary: Vocabulary;
}

/** The parts of a question that the cached notebook depends on. */
interface NotebookParts {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly variables: string;
}

interface CachedNotebook extends NotebookParts {
  readonly base: Vocabulary;
  readonly size: number;
  readonly notebook: PreparedNotebook;
}

/**
 * Parses questions, and caches the notebooks of the latest ones: from one keystroke to the next, only the typed cell
 * changes.
 */
export function createQuestionReader(base: () => Vocabulary, usualRoles: NameRoles) {
  /** The cached notebooks, the most recently used last. */
  let cached: CachedNotebook[] = [];

  const prepareNotebook = (context: CompleteContext): PreparedNotebook => {
    const variables = context.variables ?? {};
    const parts: NotebookParts = {
      before: nearest(context.before ?? []),
      after: (context.after ?? []).slice(0, MAX_AFTER).filter(({ length }) => length < MAX_PREFIX_CHARS),
      variables: JSON.stringify(variables),
    };
    const vocabulary = base();
    const isCurrent = (each: CachedNotebook) => each.base === vocabulary && each.size === vocabulary.size;
    const known = cached.findLast((each) => isCurrent(each) && haveSameParts(each, parts));
    if (known !== undefined && known === cached.at(-1)) return known.notebook;
    const notebook = known?.notebook ?? readNotebook(parts, variables, vocabulary, usualRoles);
    const others = cached.filter((each) => each !== known && isCurrent(each));
    cached = [
      ...others.slice(1 - MAX_CACHED_NOTEBOOKS),
      { ...parts, base: vocabulary, size: vocabulary.size, notebook },
    ];
    return notebook;
  };

  return (prefix: string, context: CompleteContext): PreparedQuestion => {
    const notebook = prepareNotebook(context);
    const cursor = readPrefix(lastLines(prefix));
    const { vocabulary } = notebook;
    const scope = notebook.scope.fork();
    const stream = emptyStream();
    const statement = appendTyped(stream, scope, cursor.tokens);
    const { layer } = notebook;
    const typed = readLayer(stream, vocabulary, layer.ids.concrete.at(-1));
    const facts = joinLayers(layer, typed, topicOf(context.markdown ?? ""));
    const read = cursor.tokens.reduce(nextHint, NO_HINT);
    const hint = cursor.comment === "" ? read : { words: wordsOf(cursor.comment), age: 0 };
    const state = {
      ...startState(facts, scope, statement, cursor.open, vocabulary, hint),
      isWrapped: cursor.isWrapped,
    };
    return { cursor, state, facts, vocabulary, loaded: new Set([...notebook.loaded, ...findLoaded(stream)]) };
  };
}

function haveSameParts(first: NotebookParts, second: NotebookParts): boolean {
  return (
    first.variables === second.variables &&
    haveSameCells(first.before, second.before) &&
    haveSameCells(first.after, second.after)
  );
}

/** Compares from the end: the cells above the cursor change there first. */
function haveSameCells(first: readonly string[], second: readonly string[]): boolean {
  if (first.length !== second.length) return false;
  for (let at = first.length - 1; at >= 0; at -= 1) if (first[at] !== second[at]) return false;
  return true;
}

function readNotebook(
  { before, after }: NotebookParts,
  variables: Readonly<Record<string, string | VariableFacts>>,
  base: Vocabulary,
  usualRoles: NameRoles,
): PreparedNotebook {
  const stream = emptyStream();
  const later = createScope(usualRoles);
  // The cells below show the user's style, but do not define names at the cursor.
  for (const code of after) appendCell(stream, later, readCell(code));
  const known = Object.entries(variables).slice(0, MAX_VARIABLES);
  const scope = createScope(
    usualRoles,
    known.map(([name, facts]) => [name, roleOfType(typeof facts === "string" ? facts : facts.type)] as const),
  );
  for (const [name, facts] of known) if (typeof facts !== "string") appendFacts(stream, scope, name, facts);
  for (const code of before) appendCell(stream, scope, readCell(code));
  const vocabulary = extendVocabulary(base);
  return { layer: readLayer(stream, vocabulary), loaded: findLoaded(stream), scope, vocabulary };
}

/** Adds columns and members to the stream as if the notebook had used each once. */
function appendFacts(
  stream: TokenStream,
  scope: Scope,
  name: string,
  { columns = [], members = [] }: VariableFacts,
): void {
  const line: CodeToken = { kind: "line", text: "\n" };
  const tokens: CodeToken[] = [];
  const operator = (text: string): CodeToken => ({ kind: "operator", text });
  for (const column of columns.slice(0, MAX_COLUMNS)) {
    const text: CodeToken = { kind: "string", text: columnText(column) };
    tokens.push({ kind: "name", text: name }, operator("["), text, operator("]"), line);
  }
  for (const member of members.slice(0, MAX_COLUMNS))
    if (/^[\p{L}_][\w]*$/u.test(member))
      tokens.push({ kind: "name", text: name }, operator("."), { kind: "name", text: member }, line);
  if (tokens.length > 0) appendCell(stream, scope, tokens);
}

/** The model token of a column. */
export function columnText(column: string): string {
  return /['"\\\n]/.test(column) ? JSON.stringify(column) : `'${column}'`;
}

/** Roles of the types that a kernel reports, by the last part of the type's name. */
const ROLE_OF_TYPE: Readonly<Record<string, string>> = {
  DataFrame: "frame",
  Series: "series",
  ndarray: "array",
  Tensor: "array",
  list: "list",
  dict: "dict",
  set: "set",
  str: "text",
  int: "number",
  float: "number",
  bool: "flag",
  function: "function",
  type: "class",
  module: "import",
  Figure: "figure",
  Axes: "axes",
  AxesSubplot: "axes",
  DataFrameGroupBy: "groupby",
  History: "history",
};

function roleOfType(type: string): string {
  const name = type.split(".").at(-1)!;
  if (ROLE_OF_TYPE[name] !== undefined) return ROLE_OF_TYPE[name];
  if (/(?:Classifier|Regressor|Regression|SVC|SVR|NB|SearchCV|Pipeline)$/.test(name)) return "estimator";
  return /(?:Scaler|Encoder|Imputer|Vectorizer|Transformer)$/.test(name) ? "transformer" : `call ${name}`;
}

function nearest(cells: readonly string[]): readonly string[] {
  let chars = 0;
  for (let at = cells.length - 1; at >= 0; at -= 1) {
    chars += cells[at]!.length;
    if (chars > MAX_CONTEXT_CHARS) return cells.slice(at + 1);
  }
  return cells;
}

/** The last lines of a very long cell. */
function lastLines(prefix: string): string {
  if (prefix.length <= MAX_PREFIX_CHARS) return prefix;
  const start = prefix.length - MAX_PREFIX_CHARS;
  return prefix.slice(prefix.indexOf("\n", start) + 1 || start);
}

/** Appends the typed tokens and returns the statement at the cursor. */
function appendTyped(stream: TokenStream, scope: Scope, tokens: readonly CodeToken[]): CodeToken[] {
  const cell = (stream.cell.at(-1) ?? -1) + 1;
  let statement: CodeToken[] = [];
  for (const token of tokens) {
    if (token.kind !== "line" && token.text !== ";") {
      statement.push(token);
      continue;
    }
    const mentions = statement.length === 0 ? [] : scope.readStatement(statement);
    for (const [index, part] of statement.entries()) push(stream, cell, part, mentions[index]!);
    push(stream, cell, token, null);
    statement = [];
  }
  const mentions = statement.length === 0 ? [] : scope.fork().readStatement(statement);
  for (const [index, part] of statement.entries()) push(stream, cell, part, mentions[index]!);
  return statement;
}

const FILE_NAME = /\.\w{2,5}'$/;

/** The last part of a path in a string, with its closing quote. */
export function baseName(text: string): string {
  return text.slice(Math.max(text.lastIndexOf("/"), text.indexOf("'")) + 1);
}

/** Base names of the files that the notebook's statements read. */
function findLoaded({ tokens }: TokenStream): Set<string> {
  const loaded = new Set<string>();
  let reads = false;
  for (const { kind, text } of tokens) {
    if (kind === "line" || kind === "cell") reads = false;
    else if (kind === "name" && text.startsWith("read_")) reads = true;
    else if (reads && kind === "string" && FILE_NAME.test(text)) loaded.add(baseName(text));
  }
  return loaded;
}
