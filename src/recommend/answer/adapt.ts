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

/** A renaming can reveal further ones, so matching is repeated. More rounds than this find nothing new. */
const MAX_ROUNDS = 4;

/** Replaces names of the cell by names of the user that have the same roles. Idempotent. */
export function adaptNames(
  cell: AlignedCell,
  users: OwnNames,
  align: (code: string) => AlignedCell,
  known: ReadonlySet<string> | null,
  { originsOf, findDone }: AdaptOptions,
): AdaptedCell {
  const renamed = new Map<string, string>();
  let adapted = cell;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { pairs, source, continuation, outline } = adapted;
    const rest = outline.statements.slice(firstStatement(adapted));
    const done = findDone(rest);
    const inserted = done.size === 0 ? rest : rest.filter((statement) => !done.has(statement));
    const names = matchNames(source.logical, pairs, users, {
      continued: continuation?.names ?? [],
      inserted,
      missing: findMissing(adapted, inserted, known),
      originsOf,
    });
    if (names.size === 0) break;
    adapted = align(rename(adapted.code, adapted.source.logical, names));
    composeRenamings(renamed, names);
  }
  return { ...adapted, renamed: Object.fromEntries(renamed) };
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

/** Merges a round of renamings into the earlier ones: a to b, then b to c, becomes a to c. */
function composeRenamings(renamed: Map<string, string>, names: ReadonlyMap<string, string>): void {
  const made = new Set(renamed.values());
  for (const [from, to] of renamed) renamed.set(from, names.get(to) ?? to);
  for (const [from, to] of names) if (!made.has(from)) renamed.set(from, to);
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
