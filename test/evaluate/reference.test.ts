import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bleu } from "../../src/evaluate/metrics/bleu.js";
import { codebleu, codebleuOfPackage, codebleuParts } from "../../src/evaluate/metrics/codebleu.js";
import { parseMetric, RANKING_METRICS } from "../../src/evaluate/metrics/index.js";
import type { ListMetric, PooledMetric, RankedList, TypedCase } from "../../src/evaluate/metrics/metric.js";
import { rougeL } from "../../src/evaluate/metrics/rouge-l.js";
import { stripDocstrings } from "../../src/evaluate/published/python-tokens.js";
import { createRandom } from "../../src/evaluate/statistics/bootstrap.js";
import { characterGrams, chrF } from "../../src/evaluate/text/character-grams.js";
import { codeTokens } from "../../src/evaluate/text/ngrams.js";
import { type PreparedText, prepareText } from "../../src/evaluate/text/prepare.js";
import { readSyntaxTree, type SyntaxNode } from "../../src/evaluate/text/syntax-tree.js";
import { loadGrammar } from "../../src/python/grammar.js";
import { requires, sharedData } from "../require.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const python = process.env.CELREC_TEST_PYTHON ?? join(root, ".venv-test/bin/python");
const hasPython = requires(
  "python",
  canImport(),
  "python3 -m venv .venv-test && .venv-test/bin/pip install -r test/requirements.txt (or set CELREC_TEST_PYTHON)",
);
const cellsFile = join(sharedData, "labelled/cells.jsonl");
const hasShared = requires("shared", existsSync(cellsFile), `real cells are read from ${cellsFile}`);

const KS = [1, 3, 10];
const LISTS = randomLists(10_000);
/** Pairs of texts. Corpus BLEU is measured over all of them. */
const GROUP = 50;
await loadGrammar();
const CODE = hasShared ? realTexts(1_000) : [];
const TEXTS = [...oddTexts(), ...CODE];

describe.skipIf(!hasPython)("against trec_eval, sacrebleu, rouge-score and codebleu", () => {
  const folder = mkdtempSync(join(tmpdir(), "celrec-reference-"));
  let theirs: {
    lists: Record<string, Record<string, number[]>>;
    chrf: number[];
    rouge: number[];
    bleu: number[];
    codebleu: { parts: [number, number, number, number]; total: number; shapes: [string, string] }[];
  };

  beforeAll(() => {
    const [source, target] = [join(folder, "asked.json"), join(folder, "answer.json")];
    writeFileSync(
      source,
      JSON.stringify({ lists: LISTS, ks: KS, texts: TEXTS, code: CODE.map(toReference), group: GROUP }),
    );
    execFileSync(python, [join(root, "test/evaluate/reference.py"), source, target], {
      stdio: "pipe",
      // The data flow depends on the order of sets, which depends on this seed.
      env: { ...process.env, PYTHONHASHSEED: "0" },
    });
    theirs = JSON.parse(readFileSync(target, "utf8"));
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  const ours = (name: string, k: number) => {
    const { metric } = parseMetric(name, { k, among: RANKING_METRICS });
    return LISTS.map((list) => (metric as ListMetric).of(list, k)!);
  };
  const largestGap = (a: readonly number[], b: readonly number[]) =>
    a.reduce((gap, value, at) => Math.max(gap, Math.abs(value - b[at]!)), 0);

  for (const k of KS) {
    it.each(["precision", "recall", "mrr", "hit-rate", "ndcg-ideal", "map-cut"])(
      `%s@${k} agrees on 10,000 runs`,
      (name) => {
        expect(theirs.lists[k]![name]).toHaveLength(LISTS.length);
        expect(largestGap(ours(name, k), theirs.lists[k]![name]!)).toBeLessThan(1e-9);
      },
    );

    it(`ap@${k} is their MAP, divided by the cells found instead of all relevant ones`, () => {
      const [ap, recall] = [ours("ap", k), ours("recall", k)];
      expect(
        largestGap(
          ap.map((value, at) => value * recall[at]!),
          theirs.lists[k]!["map-cut"]!,
        ),
      ).toBeLessThan(1e-9);
    });
  }

  it("chrF agrees on odd texts and on 1,000 pairs of real cells", () => {
    const values = TEXTS.map(([given, wanted]) => chrF(characterGrams(given), characterGrams(wanted)));
    expect(theirs.chrf).toHaveLength(TEXTS.length);
    expect(largestGap(values, theirs.chrf)).toBeLessThan(1e-6);
  });

  it("ROUGE-L agrees on odd texts and on 1,000 pairs of real cells", () => {
    const values = preparedPairs().map(([given, target]) => rougeL.of(given, target)!);
    expect(largestGap(values, theirs.rouge)).toBeLessThan(1e-6);
  });

  it("corpus BLEU agrees on groups of real cells, and on all together", () => {
    const pairs = preparedPairs().slice(-CODE.length);
    const groups = [
      ...Array.from({ length: CODE.length / GROUP }, (_, at) => pairs.slice(at * GROUP, (at + 1) * GROUP)),
      pairs,
    ];
    const values = groups.map((group) => bleu.of(sumCounts(bleu, group))!);
    expect(theirs.bleu).toHaveLength(values.length);
    expect(largestGap(values, theirs.bleu)).toBeLessThan(1e-6);
  });

  it("CodeBLEU's n-gram parts agree on all pairs, its other parts if both grammars give equal trees", () => {
    const pairs = preparedPairs().slice(-CODE.length);
    const sums = pairs.map(([given, target]) => codebleu.counts(given, target));
    const ours = sums.map(codebleuParts);
    const gap = (part: 0 | 1 | 2 | 3, of: readonly number[]) =>
      largestGap(
        of.map((at) => ours[at]![part]),
        of.map((at) => theirs.codebleu[at]!.parts[part]),
      );
    const all = [...ours.keys()];
    expect(gap(0, all)).toBeLessThan(1e-6);
    expect(gap(1, all)).toBeLessThan(1e-6);
    // The package requires an older grammar with different names of some nodes.
    const alike = all.filter((at) => {
      const { shapes } = theirs.codebleu[at]!;
      const [given, target] = pairs[at]!;
      return [given, target.reference].every(({ raw }, side) => shapes[side] === writeTree(raw));
    });
    expect(alike.length).toBeGreaterThan(0.9 * all.length);
    expect(gap(2, alike)).toBeLessThan(1e-6);
    expect(gap(3, alike)).toBeLessThan(1e-6);
    expect(
      largestGap(
        alike.map((at) => codebleuOfPackage(sums[at]!)),
        alike.map((at) => theirs.codebleu[at]!.total),
      ),
    ).toBeLessThan(1e-6);
  });
});

type Pair = readonly [PreparedText, TypedCase];

function preparedPairs(): Pair[] {
  return TEXTS.map(([given, wanted]): Pair => {
    const reference = prepareText(wanted);
    return [prepareText(given), { rest: reference, reference }];
  });
}

function sumCounts(metric: PooledMetric, pairs: readonly Pair[]): number[] {
  const counts = pairs.map(([given, target]) => metric.counts(given, target));
  return counts[0]!.map((_, at) => counts.reduce((sum, one) => sum + one[at]!, 0));
}

/** The tree as tree-sitter writes it; null if we do not let the parser guess. */
function writeTree(code: string): string | null {
  const write = ({ type, children }: SyntaxNode): string => {
    const parts = children.filter(({ named }) => named);
    const written = parts.map((child) => (child.field === null ? write(child) : `${child.field}: ${write(child)}`));
    return `(${[type, ...written].join(" ")})`;
  };
  const tree = readSyntaxTree(stripDocstrings(code.trim()));
  return tree === null ? null : write(tree.root);
}

/** The input of the libraries for a pair: the tokens and the cells. */
function toReference(pair: readonly [string, string]) {
  return pair.map((code) => ({ tokens: codeTokens(code), code }));
}

function canImport(): boolean {
  if (!existsSync(python)) return false;
  try {
    execFileSync(python, ["-c", "import pytrec_eval, sacrebleu, rouge_score, codebleu"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** A ranking of up to 12 cells, and an ideal ranking of up to 8. They share some cells. */
function randomLists(count: number): RankedList[] {
  const random = createRandom(5);
  const below = (end: number) => Math.floor(random() * end);
  return Array.from({ length: count }, () => {
    const ideal = Array.from({ length: 1 + below(8) }, (_, at) => 3 + at).reverse();
    const left = ideal.filter(() => random() < 0.7);
    const ratings = Array.from({ length: below(13) }, () =>
      left.length > 0 && random() < 0.5 ? left.splice(below(left.length), 1)[0]! : 1,
    );
    return { ratings, ideal };
  });
}

function oddTexts(): [string, string][] {
  const texts = [
    "",
    " ",
    "a",
    "ab",
    "a b\tc\n",
    "naïve 变量 😀😀",
    "x\u00a0=\u20281",
    "\ufeffx",
    "a\x1cb\x85c",
    "aaaaaaaa",
  ];
  return texts.flatMap((given) => texts.map((wanted): [string, string] => [given, wanted]));
}

/** Pairs of adjacent cells (dissimilar), and of cells with their second half (similar). */
function realTexts(count: number): [string, string][] {
  const cells = readFileSync(cellsFile, "utf8")
    .trim()
    .split("\n", count + 1);
  const sources = cells.map((line) => (JSON.parse(line) as { source: string }).source);
  return Array.from({ length: count }, (_, at): [string, string] => {
    const source = sources[at]!;
    return at % 2 === 0 ? [source, sources[at + 1]!] : [source, source.slice(source.length / 2)];
  });
}
