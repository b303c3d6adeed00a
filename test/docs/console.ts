/** A command of a page with the output shown on the page. */
interface DocumentedCommand {
  readonly line: number;
  readonly command: string;
  readonly output: readonly string[];
}

/** A file shown on a page, which its commands need. */
interface DocumentedFile {
  readonly name: string;
  readonly text: string;
}

export interface Page {
  readonly commands: readonly DocumentedCommand[];
  readonly files: readonly DocumentedFile[];
}

interface Block {
  readonly line: number;
  readonly language: string;
  readonly lines: readonly string[];
  /** The comment right before it: `file: NAME`, or `not run: REASON`. */
  readonly note: string;
}

/** The commands of a Markdown page (`console` blocks), and its files (blocks after a comment `file: NAME`). */
export function readPage(markdown: string): Page {
  const blocks = readBlocks(markdown);
  return {
    files: blocks.flatMap(({ note, lines }) => {
      const name = /^file: (\S+)$/.exec(note)?.[1];
      return name === undefined ? [] : [{ name, text: `${lines.join("\n")}\n` }];
    }),
    commands: blocks
      .filter(({ language, note }) => language === "console" && !/^not run: \S/.test(note))
      .flatMap(({ line, lines }) => readCommands(line, lines)),
  };
}

/** Whether the output equals the page. A line `...` matches any lines, and durations may differ. */
export function agrees(printed: readonly string[], shown: readonly string[]): boolean {
  const [first, ...rest] = shown.map(withoutDurations);
  if (first === undefined) return printed.length === 0;
  if (first === "...") return printed.some((_, at) => agrees(printed.slice(at), rest)) || agrees([], rest);
  return printed.length > 0 && withoutDurations(printed[0]!) === first && agrees(printed.slice(1), rest);
}

function withoutDurations(line: string): string {
  return line.trimEnd().replace(/\b\d+(?:\.\d+)? (?:s|ms|min)\b/g, "TIME");
}

function readBlocks(markdown: string): Block[] {
  const lines = markdown.split("\n");
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const language = /^```(\w*)$/.exec(lines[at]!)?.[1];
    if (language === undefined) continue;
    const end = lines.indexOf("```", at + 1);
    const note = /^<!-- (.*) -->$/.exec(lines[at - 1] ?? "")?.[1] ?? "";
    blocks.push({ line: at + 2, language, lines: lines.slice(at + 1, end), note });
    at = end;
  }
  return blocks;
}

function readCommands(line: number, lines: readonly string[]): DocumentedCommand[] {
  const starts = lines.flatMap((text, at) => (text.startsWith("$ ") ? [at] : []));
  return starts.map((start, index) => ({
    line: line + start,
    command: lines[start]!.slice(2),
    output: lines.slice(start + 1, starts[index + 1] ?? lines.length),
  }));
}
