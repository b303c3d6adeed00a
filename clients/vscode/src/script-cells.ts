/** The lines of a cell in a script: from the line after its `# %%` up to the next mark. */
export interface ScriptCell {
  readonly firstLine: number;
  readonly lines: readonly string[];
  readonly isMarkdown: boolean;
}

const MARK = /^#\s*%%(.*)$/;

/** The cells of a `# %%` file; null for a script without marks. */
export function splitScript(text: string): ScriptCell[] | null {
  const lines = text.split(/\r?\n/);
  const marks = lines.flatMap((line, at) => (MARK.test(line) ? [at] : []));
  if (marks.length === 0) return null;
  const starts = marks[0] === 0 ? marks : [-1, ...marks];
  return starts.map((mark, at) => ({
    firstLine: mark + 1,
    lines: lines.slice(mark + 1, starts[at + 1] ?? lines.length),
    isMarkdown: mark >= 0 && /\[(markdown|md)\]/i.test(MARK.exec(lines[mark]!)![1]!),
  }));
}

/** The cell at a line; null on a `# %%` line itself. */
export function findCell(cells: readonly ScriptCell[], line: number): number | null {
  const at = cells.findIndex(({ firstLine, lines }) => line >= firstLine && line < firstLine + lines.length);
  return at === -1 ? null : at;
}
