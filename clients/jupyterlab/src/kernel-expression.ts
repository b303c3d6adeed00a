import type { VariableFacts } from "./answers.js";

export type Variables = Readonly<Record<string, VariableFacts>>;

const MAX_NAMES = 300;
const MAX_COLUMNS = 100;
/** Names that IPython itself defines. */
const IPYTHON_NAMES = ["In", "Out", "exit", "quit", "open", "get_ipython"];
const NOT_DATA = ["module", "function", "type", "builtin_function_or_method", "method", "ABCMeta", "ufunc"];

/**
 * The columns of pandas frames. They are written as hexadecimal digits, because a column name may contain any
 * character.
 */
const COLUMNS = [
  `(':' + ','.join([c.encode('utf-8', 'ignore').hex() for c in list(v.columns)[:${MAX_COLUMNS}] if type(c) is str])`,
  "if type(v).__name__ == 'DataFrame' and str(getattr(type(v), '__module__', '')).split('.')[0] == 'pandas' else '')",
].join(" ");

/**
 * One expression over the names of the kernel. It assigns nothing and imports nothing, and reads no values except the
 * columns of pandas frames. `type(v)` runs no code of the value, and `__name__` belongs to the class.
 */
export const VARIABLES = `' '.join([n + ':' + type(v).__name__ + ${COLUMNS} for n, v in list(globals().items()) if n[:1] != '_' and n not in ${JSON.stringify(
  IPYTHON_NAMES,
)} and type(v).__name__ not in ${JSON.stringify(NOT_DATA)}][-${MAX_NAMES}:])`;

/** Reads the quoted line of the expression: `'df:DataFrame:616765 n:int'`. */
export function parseVariables(text: string): Variables {
  const entries = text.slice(1, -1).split(" ");
  return Object.fromEntries(
    entries.flatMap((entry) => {
      const [, name, type, columns] = /^([^:]+):([^:]+)(?::([0-9a-f,]*))?$/.exec(entry) ?? [];
      if (name === undefined || type === undefined) return [];
      return [[name, columns ? { type, columns: columns.split(",").map(decodeHex) } : { type }]];
    }),
  );
}

function decodeHex(digits: string): string {
  const bytes = digits.match(/../g) ?? [];
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)));
}
