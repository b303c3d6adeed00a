import { freeNames } from "../../python/name-roles.js";
import { neededColumns, neededNames } from "../../python/needed-names.js";
import { tokenize } from "../../python/tokenize.js";
import { MODULES } from "./match-names.js";
import { readValues } from "./name-evidence.js";
import { CONTINUING_CLAUSES, readOutline, type Statement } from "./outline.js";
import { LOADING_CALL } from "./repeated-loads.js";
import { readSourceLines } from "./source-lines.js";

/** The user's code and variables that the insertion may use. */
interface OwnContext {
  readonly before?: readonly string[] | undefined;
  readonly variables?: Readonly<Record<string, string>> | undefined;
}

/** An insertion with its definitions. */
export interface SuppliedInsertion {
  readonly text: string;
  /** Whether a part was left out because it needs names that nothing defines. */
  readonly isCut: boolean;
}

/** Maximum number of characters read of a text. */
const MAX_CHARACTERS = 20_000;
/** Limits: rows of added definitions, rows and characters of one definition. */
const MAX_ROWS = 12;
const MAX_DEFINITION_ROWS = 4;
const MAX_DEFINITION_CHARACTERS = 300;

const IMPORT = /^(?:import|from)\b/;
const STAR_IMPORT = /^[ \t]*from[^\n]+import[ \t]+\*/m;

/**
 * All names used in the typed code and the cells above, and the kernel's variables; null if they cannot be determined.
 */
export function readKnownNames(typed: string, { before, variables = {} }: OwnContext): ReadonlySet<string> | null {
  const isKnown = before !== undefined || Object.keys(variables).length > 0;
  const above = [...(before ?? []), typed].map((code) => code.slice(-MAX_CHARACTERS));
  if (!isKnown || above.some((code) => STAR_IMPORT.test(code))) return null;
  return new Set([...Object.keys(variables), ...above.flatMap(namesIn)]);
}

/**
 * Makes insertions runnable. Definitions of missing names are copied from the hit's own notebook. Statements with names
 * that remain undefined are left out.
 */
export function createSupply(typed: string, known: ReadonlySet<string>) {
  return {
    /** Names that the insertion uses and that are undefined in the user's notebook. */
    findMissing(insert: string, continuesLine: boolean): Set<string> {
      if (insert === "") return new Set();
      const whole = typed.slice(-MAX_CHARACTERS) + (continuesLine ? "" : "\n") + insert.slice(0, MAX_CHARACTERS);
      const needed = neededNames(whole);
      for (const name of needed) if (known.has(name)) needed.delete(name);
      return needed;
    },
    /**
     * Adds definitions from `sources` (nearest last) and removes statements with names that remain undefined. Names
     * that need a definition are added to `wanted`.
     */
    supply(
      insert: string,
      continuesLine: boolean,
      sources: readonly string[],
      wanted: Set<string> = new Set(),
    ): SuppliedInsertion {
      const find = createDefiner(sources);
      const define: Define = (name) => {
        wanted.add(name);
        return find(name);
      };
      return supplyNames({ typed, insert, continuesLine }, known, define);
    },
  };
}

export type Supply = ReturnType<typeof createSupply>;

const COLUMN = /[[,]\s*["']/;
const STRINGS = /(["'])(.*?)\1/g;

/**
 * If a cell shares no column with the user's code, its columns are those of somebody else's table: leaves out statements
 * that read one. What needs the results of such a statement is left out, too. The rest of the typed statement
 * stays, but counts as cut.
 */
export function createColumnFilter(typed: string, known: ReadonlySet<string> | null, mentions: readonly string[]) {
  // Only made if a hit reads a column.
  let above: string | undefined;
  const readAbove = () => {
    above ??= [...mentions, typed].map((text) => text.slice(-MAX_CHARACTERS)).join("\n");
    return above;
  };
  const isMentioned = (column: string) =>
    [`'${column}'`, `"${column}"`, `.${column}`].some((mention) => readAbove().includes(mention));
  // Without a column of the user, nothing says whose table it is.
  const hasColumns = () => /\[\s*["']/.test(readAbove());
  return (insert: string, continuesLine: boolean, cell: string): SuppliedInsertion => {
    const isChecked = insert.length <= MAX_CHARACTERS && COLUMN.test(insert) && hasColumns();
    // A cell that shares a column with the user may be about the same table.
    if (!isChecked || [...neededColumns(cell)].some(isMentioned)) return { text: insert, isCut: false };
    const { head, groups, needsBlock } = splitInsertion(typed.slice(-MAX_CHARACTERS), insert, continuesLine);
    const made = new Set<string>();
    const isForeign = (code: string) =>
      COLUMN.test(code) && [...neededColumns(code)].some((column) => !made.has(column) && !isMentioned(column));
    const begun = head === null ? "" : typed.slice(typed.lastIndexOf("\n") + 1) + head;
    const lost = new Set<string>();
    const kept = groups.filter(({ code }) => {
      const needed = neededNames(code);
      if (!isForeign(code) && [...needed].every((name) => !lost.has(name))) {
        for (const [, , text] of code.matchAll(STRINGS)) made.add(text!);
        return true;
      }
      for (const name of namesIn(code)) if (!needed.has(name) && known?.has(name) !== true) lost.add(name);
      return false;
    });
    const isCut = kept.length < groups.length;
    if (!isCut) return { text: insert, isCut: isForeign(begun) };
    if (needsBlock && kept[0] !== groups[0]) return { text: "", isCut: true };
    const rows = kept.flatMap((group) => group.rows);
    while (rows[0]?.trim() === "") rows.shift();
    return { text: [...(head === null ? [] : [head]), ...rows].join("\n"), isCut };
  };
}

interface Placed {
  readonly typed: string;
  readonly insert: string;
  readonly continuesLine: boolean;
}

/** A statement with its block and the comment or blank rows directly before it. */
interface Group {
  readonly level: number;
  readonly margin: string;
  readonly rows: readonly string[];
  readonly code: string;
}

function supplyNames(
  { typed, insert, continuesLine }: Placed,
  above: ReadonlySet<string>,
  define: Define,
): SuppliedInsertion {
  const { head, groups, needsBlock } = splitInsertion(typed, insert, continuesLine);
  const known = new Set(above);
  let isCut = false;
  if (head !== null) {
    // A definition would have to come before the typed statement. Only an import can be added there later.
    const missing = [...neededNames(typed + head)].filter((name) => !known.has(name));
    if (missing.some((name) => !IMPORT.test(define(name)?.text ?? ""))) return { text: "", isCut: true };
    isCut = missing.length > 0;
    for (const name of namesIn(head)) known.add(name);
  }
  const rows: string[] = [];
  let addedRows = 0;
  let firstLevel: number | undefined;
  for (const group of groups) {
    const definitions = new Map<string, string>();
    const isSupplied = [...neededNames(group.code)].every((name) => addDefinitions(name, define, known, definitions));
    const added = [...definitions.values()].flatMap((text) => text.split("\n"));
    if (!isSupplied || addedRows + added.length > MAX_ROWS) {
      isCut = true;
      continue;
    }
    addedRows += added.length;
    rows.push(...added.map((row) => (row === "" ? "" : group.margin + row)), ...group.rows);
    for (const name of [...namesIn(group.code), ...[...definitions.values()].flatMap(namesIn)]) known.add(name);
    firstLevel ??= group.level;
  }
  // A block that the user just opened must not remain empty.
  if (needsBlock && firstLevel !== groups[0]?.level) return { text: "", isCut: true };
  while (rows[0]?.trim() === "") rows.shift();
  return { text: [...(head === null ? [] : [head]), ...rows].join("\n"), isCut };
}

/**
 * Whether a name is known or can be defined. A definition from another cell may only need imports: one that needs
 * variables would prepare somebody else's data.
 */
function addDefinitions(
  name: string,
  define: Define,
  known: ReadonlySet<string>,
  definitions: Map<string, string>,
): boolean {
  if (known.has(name) || definitions.has(name)) return true;
  const definition = define(name);
  if (definition === null) return false;
  const { text } = definition;
  const added = new Map<string, string>();
  for (const other of neededNames(text)) {
    if (known.has(other) && (definition.isOwn || MODULES.has(other))) continue;
    const found = define(other)?.text;
    if (found === undefined || !IMPORT.test(found)) return false;
    if (!known.has(other)) added.set(other, found);
  }
  for (const [other, found] of added) definitions.set(other, found);
  definitions.set(name, text);
  return true;
}

/**
 * Splits an insertion into the rest of the typed statement (null if it starts a new statement) and the lines after it.
 */
function splitInsertion(typed: string, insert: string, continuesLine: boolean) {
  const whole = typed + (continuesLine ? "" : "\n") + insert;
  const start = whole.length - insert.length;
  const { statements, starts } = readOutline(whole, readSourceLines(whole));
  const texts = whole.split("\n");
  const isAfter = ({ tokens }: Statement) => tokens[0]!.start >= start;
  const last = statements.findLast((statement) => !isAfter(statement));
  const isBegun = last !== undefined && last.tokens.at(-1)!.end > start;
  const rowOfStart = starts.findLastIndex((offset) => offset <= start);
  let row = isBegun ? last.last + 1 : continuesLine ? rowOfStart + 1 : rowOfStart;
  const head = row > rowOfStart ? whole.slice(start, (starts[row] ?? whole.length + 1) - 1) : null;
  const groups: { level: number; margin: string; rows: string[]; code: string }[] = [];
  for (const statement of statements.filter(isAfter)) {
    const rows = texts.slice(row, statement.last + 1);
    row = statement.last + 1;
    const group = groups.at(-1);
    const belongs =
      group !== undefined &&
      (statement.level > group.level ||
        (statement.level === group.level && CONTINUING_CLAUSES.has(statement.tokens[0]!.text)));
    if (belongs) group.rows.push(...rows);
    else groups.push({ level: statement.level, margin: statement.margin, rows, code: "" });
  }
  for (const group of groups) group.code = group.rows.join("\n");
  groups.at(-1)?.rows.push(...texts.slice(row));
  return { head, groups: groups as readonly Group[], needsBlock: last?.isHeader === true };
}

interface Definition {
  readonly text: string;
  /** Whether it is in the hit's own cell, which has the user's names. */
  readonly isOwn: boolean;
}

/** The definition of a name; null if there is none. */
type Define = (name: string) => Definition | null;

/** Self-contained definitions at the top level: imports, and short assignments that load nothing. */
function createDefiner(sources: readonly string[]): Define {
  const read = new Map<string, ReadonlyMap<string, string>>();
  const readOne = (code: string) => {
    const known = read.get(code) ?? readDefinitions(code.slice(0, MAX_CHARACTERS));
    read.set(code, known);
    return known;
  };
  return (name) => {
    for (const code of sources.toReversed()) {
      const found = mayDefine(code, name) ? readOne(code).get(name) : undefined;
      if (found !== undefined) return { text: found, isOwn: code === sources.at(-1) };
    }
    return null;
  };
}

/** A quick check: a definition is an import, binds the name by `as`, or has it before its first `=`. */
function mayDefine(code: string, name: string): boolean {
  let at = code.indexOf(name);
  if (at !== -1 && (code.includes("import") || code.includes(" as "))) return true;
  for (; at !== -1; at = code.indexOf(name, at + 1)) {
    const equals = code.indexOf("=", at);
    const end = code.indexOf("\n", at);
    if (equals !== -1 && (end === -1 || equals < end)) return true;
    // The targets of an assignment may be in brackets, one per line.
    if (equals !== -1 && /[(,[]\s*$/.test(code.slice(at + name.length, end === -1 ? undefined : end))) return true;
  }
  return false;
}

/** The last definition of each name. */
function readDefinitions(code: string): Map<string, string> {
  const { statements, starts } = readOutline(code, readSourceLines(code));
  const found = new Map<string, string>();
  for (const statement of statements) {
    if (statement.level > 0) continue;
    const text = code.slice(starts[statement.first], statement.tokens.at(-1)!.end);
    // A statement that changes a value does not define it.
    for (const [name, definition] of definitionsIn(statement, text))
      if (!neededNames(definition).has(name)) found.set(name, definition);
  }
  return found;
}

function* definitionsIn(statement: Statement, text: string): Generator<[name: string, definition: string]> {
  const { tokens, roles } = statement;
  const first = tokens[0]!.text;
  if (first === "import" || first === "from") {
    const end = tokens.findIndex((token) => token.text === "import");
    for (const [at, role] of roles.entries()) {
      const { text: name } = tokens[at]!;
      if (role === "imported" && first === "import") yield [name, text];
      else if (role === "imported" && tokens[at + 1]?.text !== "as") {
        const origin = tokens[at - 1]?.text === "as" ? `${tokens[at - 2]!.text} as ${name}` : name;
        const path = text.slice(0, tokens[end]!.end - tokens[0]!.start);
        yield [name, `${path} ${origin}`];
      } else if (role === "module" && first === "import" && tokens[at - 1]?.text !== "." && !/ as /.test(text))
        yield [name, text];
    }
    return;
  }
  const isShort = statement.last - statement.first < MAX_DEFINITION_ROWS && text.length <= MAX_DEFINITION_CHARACTERS;
  if (!isShort || tokens[1]?.text === "." || tokens[1]?.text === "[") return;
  const values = readValues(statement);
  // An empty container says nothing about what the cell needs in it.
  if (isEmptyValue(tokens)) return;
  for (const [at, calls] of values) if (!calls.some((call) => LOADING_CALL.test(call))) yield [tokens[at]!.text, text];
}

const EMPTY = new Set(["[]", "{}", "()", "list()", "dict()", "set()", "None", "''", '""']);

/** Whether the statement assigns an empty container. */
function isEmptyValue(tokens: Statement["tokens"]): boolean {
  const start = tokens.findIndex(({ text }) => text === "=") + 1;
  return (
    tokens.length - start <= 3 &&
    EMPTY.has(
      tokens
        .slice(start)
        .map(({ text }) => text)
        .join(""),
    )
  );
}

function namesIn(code: string): string[] {
  return freeNames(tokenize(code)).map(({ text }) => text);
}
