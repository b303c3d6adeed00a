import type { OwnNames } from "./match-names.js";
import { readValues } from "./name-evidence.js";
import type { Statement } from "./outline.js";
import type { LogicalLine } from "./source-lines.js";
import { findValueOrigins } from "./value-origins.js";

/** Calls that load or split data. A notebook makes them once for each name. */
export const LOADING_CALL = /^=(?:read_\w+|load_\w+|fetch_\w+|train_test_split)\b/;
const ONE_OF_SEVERAL = / \d+$/;

/**
 * Finds statements that would overwrite the user's data: they load or split data by a call that already made one of the
 * user's variables. Statements that only these need, such as the path of a file, are included.
 */
export function findRepeatedLoads(statements: readonly Statement[], users: OwnNames): Set<Statement> {
  const isAgain = (statement: Statement) => {
    // A load in a loop or function reads different data each time.
    if (statement.level > 0) return false;
    const values = readValues(statement);
    if (![...values.values()].some(([call]) => call !== undefined && LOADING_CALL.test(call))) return false;
    const targets = targetsOf(statement);
    const made = findValueOrigins([statement]);
    const has = (name: string) => {
      const [call] = made.get(name)?.calls ?? [];
      if (call === undefined || !LOADING_CALL.test(call)) return false;
      // A table with another name is usually read from another file, but a split is a split.
      if (ONE_OF_SEVERAL.test(call)) return [...users.all.values()].some(({ parts }) => parts.has(call));
      return users.all.get(name)?.parts.has(call) === true;
    };
    return targets.every(has);
  };
  const again = new Set(statements.filter(isAgain));
  if (again.size === 0) return again;
  for (const statement of [...statements].reverse()) {
    const targets = [...targetsOf(statement), ...importsOf(statement)];
    const uses = statements.filter((other) => other !== statement && targets.some((name) => usesName(other, name)));
    if (uses.length > 0 && uses.every((other) => again.has(other))) again.add(statement);
  }
  return again;
}

function targetsOf(line: LogicalLine): string[] {
  return [...readValues(line).keys()].map((at) => line.tokens[at]!.text);
}

function importsOf({ tokens, roles }: LogicalLine): string[] {
  return tokens.flatMap(({ text }, at) => (roles[at] === "imported" ? text : []));
}

function usesName({ tokens, roles }: LogicalLine, name: string): boolean {
  return tokens.some(({ text }, at) => text === name && roles[at] !== "attribute" && roles[at] !== "keyword");
}
