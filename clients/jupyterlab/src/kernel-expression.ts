export type Variables = Readonly<Record<string, string>>;

const MAX_NAMES = 300;
/** What IPython puts there by itself. */
const NOT_THEIRS = ["In", "Out", "exit", "quit", "open", "get_ipython"];
const NOT_DATA = ["module", "function", "type", "builtin_function_or_method", "method", "ABCMeta", "ufunc"];

/**
 * One expression over the names of the kernel. It assigns nothing, imports nothing and looks at no value: `type(v)` runs no
 * code of the value, and `__name__` belongs to the class.
 */
export const VARIABLES = `' '.join([n + ':' + type(v).__name__ for n, v in list(globals().items()) if n[:1] != '_' and n not in ${JSON.stringify(
  NOT_THEIRS,
)} and type(v).__name__ not in ${JSON.stringify(NOT_DATA)}][-${MAX_NAMES}:])`;

/** Reads the quoted line of the expression: `'df:DataFrame n:int'`. */
export function parseVariables(text: string): Variables {
  const pairs = text.slice(1, -1).split(" ");
  return Object.fromEntries(pairs.flatMap((pair) => (/^[^:]+:[^:]+$/.test(pair) ? [pair.split(":")] : [])));
}
