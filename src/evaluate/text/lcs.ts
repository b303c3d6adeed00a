/** The length of the longest common subsequence. */
export function longestCommon(a: readonly string[], b: readonly string[]): number {
  let above = new Uint32Array(b.length + 1);
  let row = new Uint32Array(b.length + 1);
  for (const word of a) {
    for (let at = 1; at <= b.length; at += 1) {
      row[at] = word === b[at - 1] ? above[at - 1]! + 1 : Math.max(above[at]!, row[at - 1]!);
    }
    [above, row] = [row, above];
  }
  return above[b.length]!;
}

/** Words as ROUGE sees them: runs of a to z and digits, in lower case; everything else only parts them. */
export function rougeWords(text: string): string[] {
  return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
}
