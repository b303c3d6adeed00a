import { BUILTINS, KEYWORDS } from "../python/lex.js";
import type { CompleteRequest } from "./completion-request.js";
import type { CursorState } from "./cursor-state.js";
import { type Parts, partsOf } from "./name-parts.js";
import { extendStart } from "./notebook-facts.js";
import type { NotebookIds } from "./predict.js";
import { baseName, columnText, type PreparedQuestion } from "./question-reader.js";
import { isPlainName } from "./roles.js";
import { CELL_END, type CodeToken } from "./tokens.js";
import type { Vocabulary } from "./vocabulary.js";

type Variables = NonNullable<NonNullable<CompleteRequest["context"]>["variables"]>;

/** Facts about libraries. */
export interface LibraryFacts {
  /** Whether the prior knows this attribute of frames. */
  isFrameMember(id: number): boolean;
  /** Whether the index has a call of this name. */
  isCalled(id: number): boolean;
  /** Whether the prior or the index has a keyword argument with this name. */
  isKeyword(id: number): boolean;
}

/** Detects completions that are statistically likely but wrong here. */
export function createImplausibleCheck(
  { state: start, loaded, cursor, facts, vocabulary }: PreparedQuestion,
  variables: Variables,
  library: LibraryFacts,
): (state: CursorState) => (text: string) => boolean {
  const typed = start.statement.length;
  const fitting = fittingAt(start.statement, variables);
  const misfitsOf = createMisfitFinder();
  const isNewName = (text: string) =>
    cursor.partialKind === "name" &&
    start.open.length === 0 &&
    start.statement.at(-1)?.text !== "." &&
    !start.scope.isBound(text) &&
    !BUILTINS.has(text) &&
    !KEYWORDS.has(text) &&
    facts.countOf(vocabulary.idOf(text)) === 0;
  /** An attribute that is probably a column of other authors' frames: neither the notebook nor a library has it. */
  const isForeignColumn = (text: string) => {
    const id = vocabulary.idOf(text);
    return facts.countOf(id) === 0 && !library.isFrameMember(id) && !library.isCalled(id);
  };
  /**
   * Whether the number makes the call equal to an earlier call in the typed cell. Calls that differ in a number, such
   * as `plt.subplot`, use each number once.
   */
  const completesCopy = ({ start: begun, open }: CursorState, text: string) => {
    let end = extendStart(begun, vocabulary.idOf(text));
    for (const bracket of open.toReversed()) end = extendStart(end, vocabulary.idOf(CLOSED_BY[bracket]!));
    return facts.startedAgo(end) === 0;
  };
  /** Whether the last token is a variable that is never the name of an argument, so that no `=` may follow it in a call. */
  const cannotBeKeyword = ({ statement, open, scope }: CursorState) => {
    const name = statement.at(-1);
    if (open.at(-1) !== "(" || name?.kind !== "name" || statement[0]!.text === "def") return false;
    const id = vocabulary.idOf(name.text);
    return scope.isBound(name.text) && !isKeywordHere(facts.ids, id, vocabulary) && !library.isKeyword(id);
  };
  /** Whether the member would show a table again that this cell or the one above shows in the same way. */
  const showsAgain = ({ start: begun }: CursorState, text: string) => {
    const member = extendStart(begun, vocabulary.idOf(text));
    const call = ["(", ")"].reduce((hash, part) => extendStart(hash, vocabulary.idOf(part)), member);
    return [member, call].some((shown) =>
      [LINE_END, CELL_END.text].some((end) => facts.startedAgo(extendStart(shown, vocabulary.idOf(end))) <= 1),
    );
  };
  return (state) => {
    const { statement, scope } = state;
    const last = statement.at(-1);
    const isOnFrame =
      last?.text === "." &&
      isVariable(statement, statement.length - 2) &&
      scope.roleOf(statement.at(-2)!.text) === "frame";
    const isStart = state === start;
    const isAdded = last !== undefined && statement.length > typed;
    const mustBind = isAdded && isUndefined(state, last);
    const isUnknown = isAdded && !mustBind && isUnknownName(state, last);
    const misfits = misfitsOf(state);
    const mustContinue = last?.text === "," && !mayCloseAfterComma(state);
    const isFixed = statement.length === 1 && NOT_ASSIGNED.has(scope.roleOf(last!.text) ?? "");
    const mayShow =
      last?.text === "." &&
      statement.length === 2 &&
      cursor.partial === "" &&
      SHOWN.has(scope.roleOf(statement[0]!.text) ?? "") &&
      // A table that was assigned anew is shown again.
      scope.usesOf(statement[0]!.text) > 0;
    const tail = statement.length > typed + 1 ? new Set(statement.slice(-MAX_GROUP).map((token) => token.text)) : NONE;
    const readsFile = loaded.size > 0 && statement.some((token) => token.text.startsWith("read_"));
    return (text) => {
      // A name that occurs nowhere else may be half-typed, so it must not end here.
      if (isStart && text === cursor.partial && isNewName(text)) return true;
      if (last === undefined) return false;
      if (mayShow && showsAgain(state, text)) return true;
      if (fitting !== null && statement.length === typed) return !fitting.has(text);
      // An import, a class or a function is not assigned again.
      if (text === "=" && (isFixed || cannotBeKeyword(state))) return true;
      // The notebook already reads the file with this name.
      if (readsFile && text.endsWith("'") && loaded.has(baseName(text))) return true;
      if (tail.has(text) && repeats(statement, text)) return true;
      if (isOnFrame && isForeignColumn(text)) return true;
      if (state.open.length > 0 && isNumber(text) && completesCopy(state, text)) return true;
      if (mustContinue && CLOSING.has(text)) return true;
      if (isUnknown && text !== "." && text !== "(" && !mayBindNext(state, text)) return true;
      if (misfits.has(text) && last.text !== ".") return true;
      return mustBind && !mayBindNext(state, text);
    };
  };
}

const LINE_END = "\n";
/** Roles of variables that people look at. */
const SHOWN = new Set(["frame", "series"]);
const NOT_ASSIGNED = new Set(["import", "class", "function"]);

/** Whether the notebook passes an argument with this name. */
function isKeywordHere({ concrete, placesOf, typedPlacesOf, typedFrom }: NotebookIds, id: number, words: Vocabulary) {
  const [equals, open, comma] = ["=", "(", ","].map((text) => words.idOf(text));
  const isArgument = (at: number) =>
    concrete[at + 1] === equals && (concrete[at - 1] === open || concrete[at - 1] === comma);
  return (
    placesOf("concrete", id).some(isArgument) ||
    typedPlacesOf("concrete", id).some((place) => isArgument(place + typedFrom))
  );
}

/** The possible columns after `df[` or members after `model.`, as reported by the kernel; null if unknown. */
function fittingAt(statement: readonly CodeToken[], variables: Variables): ReadonlySet<string> | null {
  const name = statement.at(-2);
  const facts = name?.kind === "name" && statement.at(-3)?.text !== "." ? variables[name.text] : undefined;
  if (facts === undefined || typeof facts === "string") return null;
  const last = statement.at(-1)!.text;
  if (last === "[" && facts.columns !== undefined)
    return new Set([...facts.columns.map(columnText), "[", ":", "(", "~"]);
  return last === "." && facts.members !== undefined ? new Set(facts.members) : null;
}

/** How often a group of tokens may follow itself: one or two tokens three times, up to `MAX_GROUP` tokens once. */
const MAX_GROUP = 12;
const MAX_SHORT_GROUP = 2;
const MAX_SHORT_REPEATS = 4;

/** Whether the text would make the statement go round in circles, as in `a, a, a, a, a`. */
function repeats(statement: readonly CodeToken[], text: string): boolean {
  const textAt = (back: number) => (back === 0 ? text : statement[statement.length - back]?.text);
  for (let group = 1; group <= MAX_GROUP; group += 1) {
    if (textAt(group) !== text) continue;
    const needed = group * (group <= MAX_SHORT_GROUP ? MAX_SHORT_REPEATS : 1);
    let same = 1;
    while (same < needed && textAt(same) !== undefined && textAt(same) === textAt(same + group)) same += 1;
    if (same === needed) return true;
  }
  return false;
}

/**
 * Whether the last token is an undefined name. If no import is visible, only variables count, because other names may
 * be imported elsewhere.
 */
export function isUndefined(state: CursorState, last: CodeToken): boolean {
  return isUnknownName(state, last) && (state.scope.hasImports() || state.scope.mentionOf(last.text) !== null);
}

/**
 * Whether the last token is a name that nothing visible has defined or used. A module or a function may be imported
 * elsewhere.
 */
export function isUnknownName({ statement, scope }: CursorState, last: CodeToken): boolean {
  if (!isPlainName(statement, statement.length - 1)) return false;
  if (scope.isBound(last.text) || scope.isMentioned(last.text) || BUILTINS.has(last.text)) return false;
  return !localNames(statement).has(last.text);
}

const CLOSING = new Set([")", "]", "}"]);
const CLOSED_BY: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };
const [ZERO, NINE] = [48, 57];
const isNumber = (text: string) => text.charCodeAt(0) >= ZERO && text.charCodeAt(0) <= NINE;

function isVariable(statement: readonly CodeToken[], at: number): boolean {
  return statement[at]?.kind === "name" && statement[at - 1]?.text !== ".";
}

/** Whether the bracket may be closed after a comma: in a tuple of one, or at the start of a line. */
function mayCloseAfterComma({ statement, open, isWrapped }: CursorState): boolean {
  if (isWrapped || open.at(-1) !== "(") return isWrapped;
  let depth = 0;
  for (let at = statement.length - 2; at >= 0; at -= 1) {
    const { text } = statement[at]!;
    if (CLOSING.has(text)) depth += 1;
    else if (text === "(" || text === "[" || text === "{") {
      if (depth === 0) return !isCallee(statement[at - 1]);
      depth -= 1;
    } else if (depth === 0 && text === ",") return false;
  }
  return false;
}

function isCallee(token: CodeToken | undefined): boolean {
  return token !== undefined && (token.kind === "name" || CLOSING.has(token.text));
}

/**
 * Minimum length of the words that are compared. Shorter words, such as the `X` in `X_train`, do not say whether the
 * data are for training or testing.
 */
const MIN_PART = 3;
const NONE: ReadonlySet<string> = new Set();

/**
 * Finds variables that do not fit the assigned name although a similar variable does: `X_test` if `y_train_pred` is
 * assigned and `X_train` exists. Two such variables differ in one word. Once the statement uses a fitting word, as in
 * `test.fillna(train`, any variable may follow.
 */
function createMisfitFinder(): (state: CursorState) => ReadonlySet<string> {
  const known = new Map<string, ReadonlySet<string>>();
  return ({ statement, scope }) => {
    const end = statement.findIndex(({ text }) => text === "=");
    const name = end === -1 ? undefined : statement.slice(0, end).findLast(({ kind }) => kind === "name");
    if (name === undefined) return NONE;
    const assigned = partsOf(name.text).filter(({ length }) => length >= MIN_PART);
    const isUsed = ({ kind, text }: CodeToken) =>
      kind === "name" && scope.isBound(text) && partsOf(text).some((part) => assigned.includes(part));
    if (assigned.length === 0 || statement.slice(end).some(isUsed)) return NONE;
    let misfits = known.get(name.text);
    if (misfits === undefined) {
      misfits = findMisfits(scope.names(), assigned);
      known.set(name.text, misfits);
    }
    return misfits;
  };
}

function findMisfits(names: readonly string[], assigned: Parts): Set<string> {
  const fitting = new Set<string>();
  const others: [name: string, pattern: string][] = [];
  for (const name of names) {
    const parts = partsOf(name);
    if (parts.length < 2) continue;
    for (const [place, part] of parts.entries()) {
      if (part.length < MIN_PART) continue;
      const pattern = parts.with(place, "*").join("_");
      if (assigned.includes(part)) fitting.add(pattern);
      else others.push([name, pattern]);
    }
  }
  return new Set(others.filter(([, pattern]) => fitting.has(pattern)).map(([name]) => name));
}

/**
 * Whether `text` may follow a new name, because it makes the name a keyword argument, an assignment target, a loop
 * variable or a parameter.
 */
function mayBindNext({ statement, open }: CursorState, text: string): boolean {
  const before = statement.at(-2)?.text;
  if (before === "for" || before === "lambda" || before === "as" || before === "def" || before === "class") return true;
  if (text === "=" || text === ":=") return true;
  if (text === "for") return open.length > 0;
  if (open.length === 0 && text === ",")
    return statement.every(({ kind, text: part }) => kind === "name" || part === ",");
  return (
    statement[0]!.text === "def" ||
    statement[0]!.text === "for" ||
    statement.some(({ text: part }) => part === "lambda")
  );
}

function localNames(statement: readonly CodeToken[]): Set<string> {
  const names = new Set<string>();
  let binds = false;
  for (const { kind, text } of statement) {
    if (text === "for" || text === "lambda" || text === "as") binds = true;
    else if (text === "in" || text === ":") binds = false;
    else if (binds && kind === "name") names.add(text);
  }
  return names;
}
