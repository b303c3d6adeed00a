import type { Token } from "./lex.js";
import { isRenamable, nameRoles } from "./name-roles.js";

/**
 * The names that stand for a variable, a function or a class, imported ones too: no builtins, no attributes, no keywords of
 * calls, no module paths.
 */
export function freeNames(tokens: readonly Token[]): Token[] {
  const roles = nameRoles(tokens);
  return tokens.filter((_, at) => isRenamable(roles[at]));
}
