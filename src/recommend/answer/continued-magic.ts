import type { Continuation } from "./continuation.js";
import type { Cursor } from "./cursor.js";
import type { Outline } from "./outline.js";

/**
 * How a cell goes on with the magic or shell command of the cursor: behind a row that starts with what is typed of the last one. Of
 * several rows, `%%bash` for instance, the first has to be the same.
 */
export function continueMagic(cell: Outline, cursor: Cursor): Continuation | null {
  const [typed, ...others] = cursor.tokens;
  if (typed?.kind !== "magic" || others.length > 0 || cursor.isAtLineStart) return null;
  const rows = typed.text.split("\n");
  const begun = rows.at(-1)!.trimStart() + (cursor.isSpaced ? " " : "");
  for (const statement of cell.statements) {
    const [magic] = statement.tokens;
    if (magic?.kind !== "magic") continue;
    const own = magic.text.split("\n");
    let start = magic.start;
    for (const [at, row] of own.entries()) {
      const isPlace = rows.length === 1 ? at === 0 : at > 0 && own[0] === rows[0];
      const text = row.trimStart();
      const from = start + row.length - text.length + begun.length;
      if (isPlace && text.length > begun.length && text.startsWith(begun))
        return {
          statement,
          before: "",
          start: from,
          end: magic.end,
          after: "",
          opensBlock: false,
          isFromStart: true,
          names: [],
        };
      start += row.length + 1;
    }
  }
  return null;
}
