import { type NameRole, readNameRoles } from "../python/name-roles.js";
import { nameParts } from "../python/subwords.js";
import { type Token, tokenize } from "../python/tokenize.js";
import { readLines, readStatements, type Statement } from "./statements.js";

/**
 * Facts about a cell for labelling. Names chosen by the author are split into lower-case subwords and runs of subwords:
 * `my_train_test_split` includes the call `train_test_split`. Attributes, keywords and modules belong to libraries and
 * are kept whole.
 */
export interface Facts {
  /** Parts of the names of called functions: `read_csv` in `pd.read_csv(f)`. */
  readonly calls: ReadonlySet<string>;
  /** Called attributes: `fit` in `model.fit(x)`. */
  readonly methods: ReadonlySet<string>;
  /** Attributes that are not called: `shape`. */
  readonly attributes: ReadonlySet<string>;
  /** Names of keyword arguments. */
  readonly keywords: ReadonlySet<string>;
  /** Imported module paths and their prefixes: `sklearn`, `sklearn.metrics`. */
  readonly modules: ReadonlySet<string>;
  /** Parts of the names that are imported from a module. */
  readonly imports: ReadonlySet<string>;
  /** Subwords of all other names. */
  readonly names: ReadonlySet<string>;
  readonly builtins: ReadonlySet<string>;
  /** Keywords and operators in the cell: `lambda`, `for`, `==`. */
  readonly syntax: ReadonlySet<string>;
  /** First words of magics and shell lines: `%matplotlib`, `!pip`. */
  readonly magics: ReadonlySet<string>;
  /** Lower-case words of short strings, and `.csv` for a string that ends in it. */
  readonly strings: ReadonlySet<string>;
  readonly statements: readonly Statement[];
  /** Number of lines that are not Python. */
  readonly broken: number;
  /** Number of assigned names in capitals. */
  readonly constants: number;
  /**
   * Names of the functions that the code defines and calls. A cell that calls a function gets the function's labels.
   */
  readonly defines: readonly string[];
  readonly callees: ReadonlySet<string>;
}

type Sets = { -readonly [Key in keyof Facts]: Facts[Key] extends ReadonlySet<string> ? Set<string> : never };

/** Maximum depth of a module path; without a limit, the prefixes of a long path would take quadratic time. */
const MAX_MODULE_DEPTH = 16;
const CAPITALS = /(?:^|_)[A-Z]{3,}(?:_|\d|$)/;
const SHELL_WORD = /^(?:pip|pip3|conda|apt|wget|curl|git|cd|ls|mkdir|unzip)$/;

/** Reads the facts of any text, even with syntax errors, in one pass over its tokens. */
export function readFacts(code: string): Facts {
  const { lines, broken } = readLines(code, tokenize(code));
  const statements = readStatements(lines);
  const quoted = quotedCode(statements);
  return quoted === null ? collect(statements, broken) : readFacts(quoted);
}

/**
 * The body of a cell that is one long string. This is usually disabled code, which still shows the purpose of the cell.
 */
function quotedCode(statements: readonly Statement[]): string | null {
  const [only, second] = statements;
  if (only?.kind !== "string" || second !== undefined) return null;
  const text = only.tokens[0]!.text;
  const body = /^(?:"""|''')([\s\S]*?)(?:"""|''')?$/.exec(text)?.[1] ?? "";
  return body.includes("\n") ? body : null;
}

function collect(statements: readonly Statement[], broken: readonly Token[][]): Facts {
  const sets = emptySets();
  const defines: string[] = [];
  for (const statement of statements) {
    if (statement.kind === "import") readImport(statement.tokens, sets);
    else readNames(statement.tokens, sets, defines);
  }
  for (const line of broken) {
    // `pip install x` also works without `%` in notebooks.
    if (SHELL_WORD.test(line[0]!.text)) sets.magics.add(`!${line[0]!.text}`);
  }
  const constants = statements.filter(assignsCapitals).length;
  return { ...sets, statements, broken: broken.length, constants, defines };
}

function assignsCapitals({ kind, tokens }: Statement): boolean {
  return (kind === "assign-constant" || kind === "assign-name") && CAPITALS.test(tokens[0]!.text);
}

function emptySets(): Sets {
  const set = () => new Set<string>();
  return {
    calls: set(),
    methods: set(),
    attributes: set(),
    keywords: set(),
    modules: set(),
    imports: set(),
    names: set(),
    builtins: set(),
    syntax: set(),
    magics: set(),
    strings: set(),
    callees: set(),
  } as Sets;
}

function readImport(tokens: readonly Token[], { modules, imports }: Sets): void {
  let path = "";
  let depth = 0;
  let inPath = true;
  for (const { kind, text } of tokens) {
    if (text === "import" || text === "as" || text === ",") {
      if (text === "import") inPath = tokens[0]!.text !== "from";
      if (text === "as") inPath = false;
      if (text === "," && tokens[0]!.text !== "from") inPath = true;
      path = "";
      depth = 0;
    } else if (kind === "name" && inPath) {
      depth += 1;
      if (depth > MAX_MODULE_DEPTH) continue;
      path += path === "" ? text : `.${text}`;
      modules.add(path);
    } else if (kind === "name") for (const part of nameParts(text)) imports.add(part);
  }
}

function readNames(tokens: readonly Token[], sets: Sets, defines: string[]): void {
  const roles = readNameRoles(tokens);
  for (const [at, { kind, text }] of tokens.entries()) {
    if (kind === "name") readName(tokens, at, roles[at]!, sets, defines);
    else if (kind === "string") readString(text, sets.strings);
    else if (kind === "magic") readMagic(text, sets.magics);
    else if (kind === "keyword" || kind === "operator") sets.syntax.add(text);
  }
}

function readName(tokens: readonly Token[], at: number, role: NameRole, sets: Sets, defines: string[]): void {
  const name = tokens[at]!.text;
  const before = tokens[at - 1]?.text;
  const called = tokens[at + 1]?.text === "(";
  if (role === "attribute") {
    (called ? sets.methods : sets.attributes).add(name);
    if (called) addParts(name, sets.calls);
  } else if (before === "def" || before === "class") {
    defines.push(name);
    addParts(name, sets.names);
  } else if (role === "keyword") sets.keywords.add(name);
  else if (role === "builtin") sets.builtins.add(name);
  else if (called) {
    sets.callees.add(name);
    addParts(name, sets.calls);
  } else addParts(name, sets.names);
}

function addParts(name: string, to: Set<string>): void {
  for (const part of nameParts(name)) to.add(part);
}

const EXTENSION = /\.([a-z][a-z0-9]{1,5})(?:\.gz)?$/i;
/** Maximum characters of a string that counts; longer ones are prose. */
const MAX_OPTION_LENGTH = 24;

/** Lower-case words of short strings, and `.csv` for a string that ends in it. */
function readString(text: string, strings: Set<string>): void {
  if (text.length > 200) return;
  const quote = text.search(/["']/);
  const body = text.slice(quote + 1, text.endsWith(text[quote]!) ? -1 : undefined);
  const extension = EXTENSION.exec(body);
  if (extension !== null) strings.add(`.${extension[1]!.toLowerCase()}`);
  if (body.startsWith("http")) strings.add("http");
  if (body.length <= MAX_OPTION_LENGTH && /^[\w ]+$/.test(body)) for (const part of nameParts(body)) strings.add(part);
}

/** First words of magics and shell lines: `%matplotlib`, `!pip`. */
function readMagic(text: string, magics: Set<string>): void {
  const [first, second] = text.split(/\s+/, 2);
  if (first !== undefined) magics.add(first === "!" || first === "%" ? `${first}${second ?? ""}` : first);
}
