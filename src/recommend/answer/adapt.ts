import { neededNames } from "../../python/needed-names.js";
import type { AlignedPair } from "./align.js";
import type { Continuation } from "./continuation.js";
import { type AlreadyPresent, firstStatement } from "./insert.js";
import { matchNames, type OwnNames } from "./match-names.js";
import type { OriginsOf } from "./name-evidence.js";
import type { Outline, Statement } from "./outline.js";
import type { LogicalLine, SourceLines } from "./source-lines.js";

/** A cell and its parsed lines. */
export interface ParsedCell {
  readonly code: string;
  readonly source: SourceLines;
  readonly outline: Outline;
}

/** A cell whose lines are aligned with the typed lines. */
export interface AlignedCell extends ParsedCell {
  readonly pairs: readonly AlignedPair[];
  /** How the cell continues the statement at the cursor; null if it does not. */
  readonly continuation: Continuation | null;
}

/** A cell with the user's variable names, and the renamings that led to it. */
export interface AdaptedCell extends AlignedCell {
  readonly renamed: Readonly<Record<string, string>>;
}

interface AdaptOptions {
  readonly originsOf: OriginsOf;
  /** Finds the statements that are not inserted, because they only define names which the user already has. */
  readonly findDone: AlreadyPresent["findDone"];
}

/** Replaces names of the cell by names of the user that have the same roles. */
export function adaptNames(
  cell: AlignedCell,
  users: OwnNames,
  align: (code: string) => AlignedCell,
  known: ReadonlySet<string> | null,
  { originsOf, findDone }: AdaptOptions,
): AdaptedCell {
  const { pairs, source, continuation, outline } = cell;
  const rest = outline.statements.slice(firstStatement(cell));
  const done = findDone(rest);
  const inserted = done.size === 0 ? rest : rest.filter((statement) => !done.has(statement));
  const names = matchNames(source.logical, pairs, users, {
    continued: continuation?.names ?? [],
    inserted,
    missing: findMissing(cell, inserted, known),
    originsOf,
  });
  if (names.size === 0) return { ...cell, renamed: {} };
  return { ...align(rename(cell.code, source.logical, names)), renamed: Object.fromEntries(names) };
}

/** The names that the insertion uses and that are undefined in the user's notebook. */
function findMissing(
  { continuation, code }: AlignedCell,
  inserted: readonly Statement[],
  known: ReadonlySet<string> | null,
): Set<string> {
  if (known === null) return new Set();
  const textOf = ({ tokens }: Statement) => code.slice(tokens[0]!.start, tokens.at(-1)!.end);
  const missing = neededNames(inserted.map(textOf).join("\n"));
  if (continuation !== null) {
    // Without its start, `fit(X, y=z)` would look like an assignment.
    const { statement, start } = continuation;
    const rest = new Set(statement.tokens.filter((token) => token.end > start).map(({ text }) => text));
    for (const name of neededNames(textOf(statement))) if (rest.has(name)) missing.add(name);
  }
  for (const name of missing) if (known.has(name)) missing.delete(name);
  return missing;
}

function rename(code: string, lines: readonly LogicalLine[], names: ReadonlyMap<string, string>): string {
  let written = "";
  let done = 0;
  for (const { tokens, roles } of lines) {
    for (const [at, { text, start, end }] of tokens.entries()) {
      const to = roles[at] === "free" ? names.get(text) : undefined;
      if (to === undefined) continue;
      written += code.slice(done, start) + to;
      done = end;
    }
  }
  return written + code.slice(done);
}
