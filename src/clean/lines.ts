/** The text with CRLF and CR as LF, one trailing LF removed and lone surrogates as U+FFFD: what a cell's id is made of. */
export function normalizeSource(source: string): string {
  const text = source.includes("\r") ? source.replace(/\r\n?/g, "\n") : source;
  const trimmed = text.endsWith("\n") ? text.slice(0, -1) : text;
  // `toWellFormed` is Node 20's; it copies nothing when the string is already fine.
  return trimmed.toWellFormed();
}

/** Offset of the first character of every line. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** Lines that hold anything but white space. */
export function filledLines(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}
