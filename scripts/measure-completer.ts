// Measures the completer, and a plain n-gram model, on notebooks that neither the prior nor the index has seen:
//   npm run build && node --max-old-space-size=8000 dist/scripts/measure-completer.js MODEL PATH... [--every N] [--typed N]
//     [--indexed SHARE] [--confidence MIN] [--with-suffix]
// MODEL is a folder that train-completer.js made from the same PATHs. Its weights are used, and its prior is learnt
// again without the measured notebooks.
// --every N uses one cut in N. --typed N types N cells of each group. --indexed 0 uses an empty index.
// --confidence 0 shows all completions. --with-suffix also sends the text after the cursor.
import { parseArgs } from "node:util";
import { type CompleterDeps, createCompleter, DEFAULT_MIN_CONFIDENCE } from "../src/complete/completer.js";
import { createPriorTrie } from "../src/complete/prior.js";
import { openShippedModel } from "../src/complete/shipped-model.js";
import { meansOf } from "../src/evaluate/statistics/bootstrap.js";
import { createCalibration } from "../src/evaluate/statistics/calibration.js";
import { createNgramModel } from "../src/evaluate/suites/cursor/cursor-baselines.js";
import { buildCursor, type CursorCase, isLineBoundary } from "../src/evaluate/suites/cursor/cursor-cases.js";
import { caseValues, cursorMetrics, namedValues } from "../src/evaluate/suites/cursor/cursor-figures.js";
import { scoreCursor } from "../src/evaluate/suites/cursor/cursor-score.js";
import { bestPoint, savingCurve, type TypedCell, typeCell } from "../src/evaluate/suites/cursor/typist.js";
import type { TargetCompletion } from "../src/evaluate/target.js";
import { loadGrammar } from "../src/python/grammar.js";
import { indexedOf, learnIndex, learnPrior, readNotebooks, type TrainingNotebook } from "./completer-corpus.js";

const K = 3;
/** The rows of the table, in order. */
const TABLE_ROWS = [
  "inside-exact@1",
  `inside-exact@${K}`,
  "inside-next@1",
  "line-exact@1",
  `line-exact@${K}`,
  "line-next@1",
  "undefined-names",
  "broken-tokens",
  "empty-calls",
];

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    every: { type: "string" },
    typed: { type: "string" },
    indexed: { type: "string" },
    confidence: { type: "string" },
    "with-suffix": { type: "boolean" },
  },
});
const [folder, ...paths] = positionals;
if (folder === undefined || paths.length === 0) throw new Error("usage: measure-completer.js MODEL PATH...");
const every = Number(flags.every ?? 1);
const confidence = Number(flags.confidence ?? DEFAULT_MIN_CONFIDENCE);
const withSuffix = flags["with-suffix"] === true;
const typedCells = Number(flags.typed ?? 0);

await loadGrammar();
const notebooks = await readNotebooks(paths);
const learnt = notebooks.filter(({ part }) => part === "learn");
const indexed = indexedOf(learnt, Number(flags.indexed ?? 1));
const { complete, baseline } = await createModels(folder, learnt, indexed);

for (const [name, group] of groupsOf(notebooks)) {
  const cases = buildCursor(group.map(toNotebook)).filter((_, at) => at % every === 0);
  const isLine = (each: CursorCase) => isLineBoundary(each);
  console.log(
    `\n${name}: ${group.length} notebooks, ${cases.length} cuts, ${cases.filter(isLine).length} of them at line starts`,
  );
  const ours = measureCases(cases, (each) => complete(each, each.preceding, each.markdown, confidence, K));
  const ngram = indexed.length === 0 ? null : measureCases(cases, ({ prefix }) => baseline(prefix));
  for (const metric of TABLE_ROWS)
    console.log(
      `  ${metric.padEnd(18)}${format(ours.metrics[metric])}${ngram === null ? "" : `   n-gram ${format(ngram.metrics[metric])}`}`,
    );
  console.log(`  ${"ece of the first".padEnd(18)}${format(ours.ece)}`);
  console.log(`  ${"ms p50 p95 p99".padEnd(18)}${ours.times.map((time) => time.toFixed(1)).join("  ")}`);
  if (typedCells > 0) console.log(`  ${"saved".padEnd(18)}${await measureSaved(group, typedCells)}`);
}

async function createModels(model: string, from: readonly TrainingNotebook[], toIndex: readonly TrainingNotebook[]) {
  const { prior, vocabulary, nameRoles, pairs } = learnPrior(from);
  const segments = toIndex.length === 0 ? [] : [learnIndex(toIndex, vocabulary, nameRoles)];
  const index: CompleterDeps["index"] = {
    vocabulary: () => vocabulary,
    segments: () => segments,
    isKnown: () => true,
    cellsWith: () => [],
  };
  const shipped = { ...(await openShippedModel(model)), nameRoles, prior: createPriorTrie(prior), pairs };
  const completer = createCompleter({ shipped, index });
  const ngram = createNgramModel(toIndex.flatMap(({ cells }) => cells));
  return {
    complete: (
      { prefix, suffix }: { prefix: string; suffix: string },
      before: readonly string[],
      markdown: string,
      minConfidence: number,
      k: number,
    ) =>
      completer({
        prefix,
        suffix: withSuffix ? suffix : "",
        k,
        maxLines: 1,
        minConfidence,
        context: { before, markdown },
      }).completions,
    baseline: (prefix: string) => ngram.complete(prefix, K),
  };
}

/** Held-out notebooks grouped by path; notebooks of new authors form separate groups. */
function groupsOf(all: readonly TrainingNotebook[]): Map<string, TrainingNotebook[]> {
  const groups = new Map<string, TrainingNotebook[]>();
  for (const notebook of all) {
    if (notebook.part !== "measure" || !notebook.isIndexed) continue;
    const name = `${notebook.path}, ${notebook.isNewAuthor ? "new authors" : "authors with other notebooks in training"}`;
    groups.set(name, [...(groups.get(name) ?? []), notebook]);
  }
  return groups;
}

function toNotebook({ name, all }: TrainingNotebook) {
  return { name, notebook: { cells: all.map(({ index, type, source }) => ({ index, type, source })) } };
}

function measureCases(cases: readonly CursorCase[], ask: (each: CursorCase) => readonly TargetCompletion[]) {
  const times: number[] = [];
  const rows: { values: (number | null)[] }[] = [];
  const calibration = createCalibration();
  for (const each of cases) {
    const started = performance.now();
    const completions = ask(each);
    times.push(performance.now() - started);
    const scores = scoreCursor(each, completions, withSuffix ? each.suffix : undefined);
    rows.push({ values: caseValues({ line: isLineBoundary(each), values: namedValues(scores, K) }, K) });
    const first = completions[0];
    if (first !== undefined) calibration.add(first.confidence ?? 0, scores.right[0]!);
  }
  times.sort((a, b) => a - b);
  const names = cursorMetrics(K).map(({ name }) => name);
  return {
    metrics: meansOf(names.slice(0, rows[0]?.values.length ?? 0), rows),
    ece: calibration.error(),
    times: [0.5, 0.95, 0.99].map((share) => times[Math.floor(share * times.length)] ?? 0),
  };
}

/** The share of keystrokes saved at the best threshold, over evenly spread cells. */
async function measureSaved(group: readonly TrainingNotebook[], wanted: number): Promise<string> {
  const places = group.flatMap(({ cells }) => cells.map((code, at) => ({ code, before: cells.slice(0, at) })));
  const typed: TypedCell[][] = [];
  for (let at = 0; at < Math.min(wanted, places.length); at += 1) {
    const { code, before } = places[Math.floor((at * places.length) / Math.min(wanted, places.length))]!;
    typed.push(
      await typeCell(
        code,
        async (prefix, minConfidence) => complete({ prefix, suffix: "" }, before, "", minConfidence, 1)[0] ?? null,
      ),
    );
  }
  const best = bestPoint(savingCurve(typed));
  return best === null
    ? "nothing: at every threshold, less than half of the shown completions are right"
    : `${format(best.saved)} at confidence ${best.threshold} (${format(best.right)} of the shown right)`;
}

function format(value: number | null | undefined): string {
  return value === null || value === undefined ? "-" : value.toFixed(3);
}
