/** The fields of a recommendation that describe its insertion. */
export interface Addition {
  readonly continuesLine: boolean;
  readonly matched: readonly { readonly start: number; readonly end: number }[];
  /** The text that continues the typed code in the words of its notebook. */
  readonly insert: string;
  readonly adapted: { readonly code: string; readonly insert: string };
}

/** Text to insert at an offset from the cursor. Nothing is ever deleted. */
export interface Insertion {
  readonly at: number;
  readonly text: string;
}

/** The effect of *Insert*, or the reason why it has none. */
export type InsertPlan =
  | { readonly insertions: readonly Insertion[]; readonly problem: null }
  | { readonly insertions: readonly []; readonly problem: string };

const NOTHING_NEW = "Nothing to insert: this cell does not continue what you typed.";
const UNDEFINED_NAMES = "Nothing to insert: the new code uses names that your notebook does not define.";
const INSIDE_LINE = "The cursor is inside a line. Move it to the end of the line to insert.";

/**
 * Plans the insertion of a recommendation between the text before and after the cursor. Missing imports are added at
 * the top of the cell.
 */
export function planInsertion(
  hit: Addition,
  prefix: string,
  suffix: string,
  cellsBefore: readonly string[] = [],
): InsertPlan {
  const plan = planAtCursor(hit, prefix, suffix);
  const imports = findMissingImports(hit, [...cellsBefore, prefix, suffix]);
  if (plan.problem !== null || imports.length === 0) return plan;
  // A cell magic has to stay the first line.
  const [magic = ""] = /^%%.*\n/.exec(prefix) ?? [];
  const top = { at: magic.length - prefix.length, text: imports.map((line) => `${line}\n`).join("") };
  return { insertions: [top, ...plan.insertions], problem: null };
}

function planAtCursor({ insert: found, adapted, continuesLine }: Addition, prefix: string, suffix: string): InsertPlan {
  const { insert } = adapted;
  // Statements with undefined names are left out of the adapted text.
  if (insert.trim() === "") return refuse(found.trim() === "" ? NOTHING_NEW : UNDEFINED_NAMES);
  const rest = suffix.split("\n", 1)[0]!;
  const isLineEnd = rest.trim() === "";
  if (continuesLine) return isLineEnd ? plan([{ at: 0, text: insert }]) : planInsideClosing(insert, rest);
  if (!isLineEnd) return refuse(INSIDE_LINE);
  const line = prefix.slice(prefix.lastIndexOf("\n") + 1);
  const canUseLine = line.trim() === "" && insert.startsWith(line);
  return plan([{ at: 0, text: canUseLine ? insert.slice(line.length) : `\n${insert}` }]);
}

/** Brackets and quotes that the editor closed automatically stay; the new text is inserted before and after them. */
function planInsideClosing(insert: string, rest: string): InsertPlan {
  const closing = rest.trimEnd();
  const [first = "", ...more] = insert.split("\n");
  if (!/^[)\]}"']+$/.test(closing) || !first.endsWith(closing)) return refuse(INSIDE_LINE);
  const parts = [
    { at: 0, text: first.slice(0, -closing.length) },
    { at: rest.length, text: more.map((line) => `\n${line}`).join("") },
  ].filter(({ text }) => text !== "");
  return parts.length === 0 ? refuse(NOTHING_NEW) : plan(parts);
}

/** Import lines of the cell whose names the inserted text uses and nothing in the notebook imports. */
function findMissingImports({ adapted }: Addition, texts: readonly string[]): string[] {
  const inserted = new Set(adapted.insert.split("\n").map((line) => line.trim()));
  const known = new Set(texts.flatMap((text) => text.split("\n")).flatMap(importedNames));
  const words = new Set(adapted.insert.match(/[^\W\d]\w*/g));
  return adapted.code
    .split("\n")
    .filter((line) => /^\w/.test(line) && !inserted.has(line.trim()))
    .filter((line) => importedNames(line).some((name) => words.has(name) && !known.has(name)));
}

/** The names that an import on one line binds. */
function importedNames(line: string): string[] {
  const [, list] = /^\s*(?:import|from\s+\S+\s+import)\s+([\w\s.,]+?)\s*(?:#.*)?$/.exec(line) ?? [];
  if (list === undefined) return [];
  return list.split(",").map((part) => {
    const [name = "", , alias] = part.trim().split(/\s+/);
    return alias ?? name.split(".")[0]!;
  });
}

const plan = (insertions: readonly Insertion[]): InsertPlan => ({ insertions, problem: null });
const refuse = (problem: string): InsertPlan => ({ insertions: [], problem });

/**
 * Finds the inserted text in its cell: the start column by line. Null if the cell does not contain the text verbatim,
 * for example because a bracket was closed.
 */
export function findNewText(
  { adapted, continuesLine, matched }: Addition,
  { insertions, problem }: InsertPlan,
): ReadonlyMap<number, number> | null {
  if (problem !== null) return new Map();
  const rows = adapted.code.split("\n");
  const typedEnd = Math.max(0, ...matched.map(({ end }) => end));
  const found = new Map<number, number>();
  let next = Math.max(0, continuesLine ? typedEnd - 1 : typedEnd);
  for (const [at, wanted] of adapted.insert.split("\n").entries()) {
    const isTail = at === 0 && continuesLine;
    const row = rows.findIndex(
      (text, index) => index >= next && (isTail ? text.endsWith(wanted) : text.trim() === wanted.trim()),
    );
    if (row === -1) return null;
    found.set(row, isTail ? rows[row]!.length - wanted.length : 0);
    next = row + 1;
  }
  // Imports go to the top of the cell.
  const imports = insertions.filter(({ at }) => at < 0).flatMap(({ text }) => text.split("\n"));
  for (const [row, line] of rows.entries()) if (line !== "" && imports.includes(line)) found.set(row, 0);
  return found;
}
