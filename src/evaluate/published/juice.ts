import { parsePython } from "./python-parser.js";
import { printPython } from "./python-printer.js";
import { PythonSyntaxError, type Statement } from "./python-syntax.js";
import { type PythonToken, PythonTokenError, tokenizePython } from "./python-tokens.js";

/** The fields of JuICe's records about the code of a cell. */
export interface JuiceCode {
  /** `api_sequence`: the names called, in order and with repeats. */
  readonly apiSequence: readonly string[];
  /** `api_sequence` of a context cell, in which definitions count, too. */
  readonly contextApiSequence: readonly string[];
  /** `code_tokens_clean`. */
  readonly canonicalTokens: readonly string[];
}

/** JuICe's token for an empty sequence. */
export const NO_API_SEQUENCE = "NO_API_SEQUENCE";
/** JuICe's token for every string. */
export const CANONICAL_STRING = "'jupyter_string'";
/** Names that count as an API only after a dot: Python 3.7's builtins and keywords, and five of Python 2. */
const BUILTIN_WORDS = new Set(
  `ArithmeticError AssertionError AttributeError BaseException BlockingIOError BrokenPipeError BufferError BytesWarning
  ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError ConnectionResetError DeprecationWarning
  EOFError Ellipsis EnvironmentError Exception False FileExistsError FileNotFoundError FloatingPointError FutureWarning
  GeneratorExit IOError ImportError ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError
  KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError None NotADirectoryError NotImplemented
  NotImplementedError OSError OverflowError PendingDeprecationWarning PermissionError ProcessLookupError RecursionError
  ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError SyntaxWarning
  SystemError SystemExit TabError TimeoutError True TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError
  UnicodeError UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning ZeroDivisionError __build_class__
  __debug__ __doc__ __import__ __loader__ __name__ __package__ __spec__ abs all and any as ascii assert async await bin
  bool break breakpoint bytearray bytes callable chr class classmethod compile complex continue copyright credits def del
  delattr dict dir divmod elif else enumerate eval except exec exit file filter finally float for format from frozenset
  getattr global globals hasattr hash help hex id if import in input int is isinstance issubclass iter lambda len license
  list locals map max memoryview min next nonlocal not object oct open or ord pass pow print property quit raise range
  reduce reload repr return reversed round set setattr slice sorted staticmethod str sum super try tuple type unicode vars
  while with xrange yield zip`.split(/\s+/),
);

/**
 * Reads a cell like JuICe's published code (Python 3.7, astor 0.7.1). Null if that code gives up, because the text is
 * not valid Python 3.7 or has no code. docs/reference/metrics.md describes the rules.
 * @example readJuiceCode("x = f('a')")?.canonicalTokens // ["x", "=", "f", "(", "'jupyter_string'", ")"]
 */
export function readJuiceCode(code: string): JuiceCode | null {
  try {
    const tokens = tokenizePython(code);
    const canonicalTokens = canonicalise(tokenizePython(printPython(parsePython(code))));
    if (canonicalTokens.length === 0) return null;
    const rest = printPython(dropImports(parsePython(code)));
    // Without its docstring, a function with no other statement is invalid, and the program gives up on it.
    const isEmpty = parsePython(rest).length === 0;
    const orNone = (names: readonly string[]) => (names.length === 0 && !isEmpty ? [NO_API_SEQUENCE] : names);
    return {
      apiSequence: orNone(apiNames(tokens, false)),
      contextApiSequence: orNone(apiNames(tokens, true)),
      canonicalTokens,
    };
  } catch (error) {
    if (error instanceof PythonSyntaxError || error instanceof PythonTokenError) return null;
    throw error;
  }
}

/** A name before `(`. Comments and line breaks are tokens here and may be in between. */
function apiNames(tokens: readonly PythonToken[], withDefinitions: boolean): string[] {
  const names: string[] = [];
  for (const [at, { kind, text }] of tokens.entries()) {
    if (tokens[at + 1]?.text !== "(") continue;
    const before = tokens[at - 1]?.text;
    if (before === "def" || before === "class") {
      if (!withDefinitions) continue;
      names.push(before, text);
    }
    if (before === "." || (kind === "name" && !BUILTIN_WORDS.has(text))) names.push(text);
  }
  return names;
}

function canonicalise(tokens: readonly PythonToken[]): string[] {
  const canonical: string[] = [];
  for (const { kind, text } of tokens) {
    if (kind === "dedent" || kind === "end") continue;
    if (kind === "string") canonical.push(CANONICAL_STRING);
    else if (text === "\n") canonical.push("NEWLINE");
    else canonical.push(kind === "indent" ? "INDENT" : text);
  }
  if (canonical.at(-1) === "NEWLINE") canonical.pop();
  return canonical;
}

/** The first function without its docstring; without a function, all code except plain imports. */
function dropImports(body: readonly Statement[]): readonly Statement[] {
  const definition = body.find(({ type }) => type === "FunctionDef");
  if (definition?.type !== "FunctionDef") return body.filter(({ type }) => type !== "Import");
  const [first] = definition.body;
  const hasDocstring = first?.type === "Expr" && first.value.type === "Str";
  return [{ ...definition, body: hasDocstring ? definition.body.slice(1) : definition.body }];
}
