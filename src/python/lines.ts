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
