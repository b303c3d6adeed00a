import { rougeWords } from "../text/lcs.js";

/** A cell as far as it matters which Markdown stands above which code. */
export interface NotebookPart {
  readonly type: string;
  readonly source: string;
}

/** Code cells by the Markdown directly above them. */
export interface MarkdownIndex {
  add(cells: readonly NotebookPart[]): void;
  /** The code below the Markdown most like this one, by the cosine of tf-idf weights, best first; ties in the order added. */
  search(markdown: string, k: number): { code: string; score: number }[];
}

interface Entry {
  readonly code: string;
  readonly counts: ReadonlyMap<string, number>;
}

/** As in JuICe's Ret-Train and Ret-Context: weights are tf * ln((1 + n) / (1 + df)) + tf, n the entries. */
export function createMarkdownIndex(): MarkdownIndex {
  const entries: Entry[] = [];
  const postings = new Map<string, number[]>();
  let norms: Float64Array | null = null;
  const idf = (word: string) => Math.log((1 + entries.length) / (1 + (postings.get(word)?.length ?? 0))) + 1;
  const norm = (counts: ReadonlyMap<string, number>) =>
    Math.sqrt([...counts].reduce((sum, [word, count]) => sum + (count * idf(word)) ** 2, 0));
  return {
    add(cells) {
      norms = null;
      let markdown = "";
      for (const { type, source } of cells) {
        if (type === "markdown") markdown += `${source}\n`;
        if (type !== "code" || source.trim() === "") continue;
        const counts = countWords(markdown);
        markdown = "";
        if (counts.size === 0) continue;
        for (const word of counts.keys()) {
          const known = postings.get(word);
          if (known === undefined) postings.set(word, [entries.length]);
          else known.push(entries.length);
        }
        entries.push({ code: source, counts });
      }
    },
    search(markdown, k) {
      const asked = countWords(markdown);
      norms ??= Float64Array.from(entries, ({ counts }) => norm(counts));
      const scores = new Map<number, number>();
      for (const [word, count] of asked) {
        const weight = count * idf(word) ** 2;
        for (const row of postings.get(word) ?? []) {
          scores.set(row, (scores.get(row) ?? 0) + weight * entries[row]!.counts.get(word)!);
        }
      }
      const length = norm(asked);
      return [...scores]
        .map(([row, score]) => ({ row, score: score / (length * norms![row]!) }))
        .sort((a, b) => b.score - a.score || a.row - b.row)
        .slice(0, k)
        .map(({ row, score }) => ({ code: entries[row]!.code, score }));
    },
  };
}

function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of rougeWords(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
