// Prints the features of labelled cells, of their prefixes, and of noisy copies. Run by scripts/train-labels.py.
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { readOwnRules } from "../src/label/create-labeller.js";
import { readFacts } from "../src/label/facts.js";
import { emitFeatures, featureName } from "../src/label/label-features.js";
import { compileRule } from "../src/label/rule.js";
import { NEWER_RULES, RULES } from "../src/label/rules.js";
import { loadGrammar } from "../src/python/grammar.js";
import { BUILTINS } from "../src/python/lex.js";
import { filledLines, strip } from "../src/python/strip.js";
import { tokenize } from "../src/python/tokenize.js";

type Random = () => number;

/** A training text: a cell, an altered copy, its first `lines` lines, or a half-typed part. */
interface TrainingText {
  readonly variant: "cell" | "renamed" | "noised" | "prefix" | "typed";
  readonly lines: number;
  readonly text: string;
}

const SYLLABLES = "ba co di fu ga he ji ko la mo nu po ra se ti vu wa xe yo zi qua bri tro fle sno".split(" ");

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { labels: { type: "string" } },
});
await loadGrammar();
const own = values.labels === undefined ? [] : readOwnRules(values.labels, [...RULES, ...NEWER_RULES]);
const rules = [...RULES, ...NEWER_RULES, ...own].map((rule) => ({ ...rule, matches: compileRule(rule) }));
let row = 0;
for await (const line of createInterface({ input: createReadStream(positionals[0]!) })) {
  if (line.trim() === "") continue;
  for (const { variant, lines, text } of copiesOf(String(JSON.parse(line).source), createRandom(row))) {
    const clean = strip(text).text;
    process.stdout.write(`${JSON.stringify({ row, variant, lines, clean, features: featuresOf(clean) })}\n`);
  }
  row += 1;
}

function featuresOf(clean: string): Record<string, number> {
  const features: Record<string, number> = {};
  emitFeatures(readFacts(clean), rules, (group, name, value) => {
    features[featureName(group, name)] ??= value;
  });
  return features;
}

function copiesOf(source: string, random: Random): TrainingText[] {
  const filled = filledLines(source);
  const lines = filled.length;
  const whole = filled.join("\n");
  const renamed = rename(source, 0.8, random);
  return [
    { variant: "cell", lines, text: source },
    { variant: "renamed", lines, text: random() < 0.5 ? renamed : rename(source, 0, random) },
    { variant: "noised", lines, text: addNoise(filledLines(renamed), random) },
    // Typing also stops in the middle of a line.
    { variant: "typed", lines, text: whole.slice(0, Math.ceil(random() * whole.length)) },
    ...filled.map(
      (_, at): TrainingText => ({ variant: "prefix", lines: at + 1, text: filled.slice(0, at + 1).join("\n") }),
    ),
  ];
}

/** Renames every free name: with probability `keep` to a longer form of the old name, else to a made-up word. */
function rename(source: string, keep: number, random: Random): string {
  const chosen = new Map<string, string>();
  let renamed = "";
  let done = 0;
  const tokens = tokenize(source);
  let importing = false;
  for (const [at, { kind, text, start, end }] of tokens.entries()) {
    const before = tokens[at - 1];
    if (before === undefined || before.kind === "newline") importing = text === "import" || text === "from";
    const path = importing && before !== undefined && (before.text === "from" || before.text === "import");
    const argument = tokens[at + 1]?.text === "=" && (before?.text === "(" || before?.text === ",");
    if (kind !== "name" || path || argument || before?.text === "." || BUILTINS.has(text)) continue;
    if (!chosen.has(text)) chosen.set(text, anotherName(text, keep, random));
    renamed += source.slice(done, start) + chosen.get(text)!;
    done = end;
  }
  return renamed + source.slice(done);
}

function anotherName(name: string, keep: number, random: Random): string {
  const word = randomWord(random);
  if (random() >= keep) return word;
  return random() < 0.5 ? `${word}_${name}` : `${name}_${word}`;
}

/** Adds meaningless lines after some lines: random words, or the shuffled characters of the line. */
function addNoise(lines: readonly string[], random: Random): string {
  const share = random();
  return lines.flatMap((line) => (random() < share ? [line, noiseLine(line, random)] : [line])).join("\n");
}

function noiseLine(line: string, random: Random): string {
  const indent = line.slice(0, line.length - line.trimStart().length);
  if (random() < 0.3)
    return indent + Array.from({ length: 1 + Math.floor(random() * 6) }, () => randomWord(random)).join(" ");
  const chars = [...line.trim()];
  for (let at = chars.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [chars[at], chars[other]] = [chars[other]!, chars[at]!];
  }
  return indent + chars.join("");
}

function randomWord(random: Random): string {
  const count = 2 + Math.floor(random() * 2);
  return Array.from({ length: count }, () => SYLLABLES[Math.floor(random() * SYLLABLES.length)]).join("");
}

/** A random generator (mulberry32) seeded with the row, so every run makes the same copies. */
function createRandom(seed: number): Random {
  let state = (seed * 0x9e3779b9) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
