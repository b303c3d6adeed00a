import type { Recommendation } from "./answers.js";

type Hit = Pick<Recommendation, "adapted" | "continuesLine">;

/** A change of a cell's text, by offsets. */
export interface Change {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** What inserting a recommendation between the code before the cursor and the text behind it changes; nothing where it cannot stand there. */
export function changeAtCursor({ adapted, continuesLine }: Hit, code: string, behind: string): Change {
  const line = lastLine(code);
  const offset = code.length;
  if (adapted.insert === "") return { from: offset, to: offset, text: "" };
  // Inserted lines bring their own indentation.
  if (!continuesLine && line.trim() === "") return { from: offset - line.length, to: offset, text: adapted.insert };
  if (!continuesLine) return { from: offset, to: offset, text: `\n${adapted.insert}` };
  // Brackets and quotes that the editor closed by itself come again with the insertion.
  const [closing = ""] = /^[)\]}"']+[ \t]*(?=\n|$)/.exec(behind) ?? [];
  return { from: offset, to: offset + closing.length, text: adapted.insert };
}

/**
 * The same as ghost text, which can only stand behind the cursor; empty where it would have to change what is before it, or
 * would start a new line behind a word that may be half typed.
 */
export function textBehindCursor({ adapted, continuesLine }: Hit, code: string, lines: number): string {
  if (adapted.insert === "") return "";
  const line = lastLine(code);
  const insert = adapted.insert.split("\n").slice(0, lines).join("\n");
  if (continuesLine) return insert;
  if (line.trim() !== "") return /[\w.=+\-*/,([{]\s*$/.test(line) ? "" : `\n${insert}`;
  return insert.startsWith(line) ? insert.slice(line.length) : "";
}

function lastLine(code: string): string {
  return code.slice(code.lastIndexOf("\n") + 1);
}
