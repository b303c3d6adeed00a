// Measures what an answer brings to somebody who types, on typing cases against an index; run it before and after a change of answers:
//   npm run build && node dist/scripts/measure-answers.js CASES.jsonl INDEX_FOLDER NOTEBOOKS... [--out values.json] [--mode complete]
// INDEX_FOLDER is made from the notebooks where it does not exist. Prints means; --out keeps the values of every case, for paired tests.
import { existsSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { compose } from "../src/compose.js";
import { parseConfig } from "../src/config.js";
import { callF1 } from "../src/evaluate/metrics/call-f1.js";
import { callRecall } from "../src/evaluate/metrics/call-recall.js";
import { readTypingCases } from "../src/evaluate/suites/typing/cases.js";
import { chrF } from "../src/evaluate/text/chrf.js";
import { prepareText } from "../src/evaluate/text/prepare.js";
import { parseNotebook } from "../src/notebook/parse.js";
import { readCorpus } from "./train-embedder-notebooks.js";

const K = 3;
const USEFUL = 0.5;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: "string" }, mode: { type: "string", default: "complete" }, diversity: { type: "string" } },
});
const [cases, folder, ...paths] = positionals;
const isNew = !existsSync(folder!);
const services = await compose(parseConfig({ CELREC_DATA: folder! }), { activity: "measuring", hold: "call" });
if (isNew) {
  for await (const { name, cells } of readCorpus(paths)) {
    const source = JSON.stringify({ cells: cells.map(({ type, source }) => ({ cell_type: type, source })) });
    const parsed = parseNotebook(source);
    if ("notebook" in parsed) await services.ingest([{ name, notebook: parsed.notebook }]);
  }
}
await services.warm(AbortSignal.timeout(600_000));
const rows: Record<string, number | string | null>[] = [];
for (const { id, notebook, prefix, rest, reference, preceding, markdown } of readTypingCases(cases!)) {
  const context = { before: preceding, markdown };
  const diversity = values.diversity === undefined ? undefined : Number(values.diversity);
  const request = { code: prefix, k: K, filter: "soft", collapse: true, context, diversity } as const;
  const { recommendations, took } = await services.recommend({ ...request, mode: values.mode as "complete" });
  const target = { rest: prepareText(rest), reference: prepareText(reference) };
  const helps = recommendations;
  const best = (codes: readonly string[]) =>
    Math.max(0, ...codes.map((code) => chrF(prepareText(code).grams, target.rest.grams)));
  const codes = recommendations.map(({ code }) => prepareText(code));
  const top = (metric: typeof callF1) => {
    const found = codes.map((code) => metric.of(code, target));
    return metric.of(prepareText(""), target) === null ? null : Math.max(0, ...found.map((value) => value ?? 0));
  };
  const wanted = firstLine(rest);
  rows.push({
    id,
    notebook,
    chrf: best(recommendations.map(({ code }) => code)),
    recall: top(callRecall),
    f1: top(callF1),
    length: recommendations.reduce((sum, { code }) => sum + code.length, 0) / Math.max(1, recommendations.length),
    adapted: best(helps.map(({ adapted }) => adapted.code)),
    insert: best(helps.map(({ insert }) => insert)),
    adaptedInsert: best(helps.map(({ adapted }) => adapted.insert)),
    firstLine: helps.some(({ insert }) => firstLine(insert) === wanted) ? 1 : 0,
    adaptedFirstLine: helps.some(({ adapted }) => firstLine(adapted.insert) === wanted) ? 1 : 0,
    adaptedTopFirstLine: helps[0] !== undefined && firstLine(helps[0].adapted.insert) === wanted ? 1 : 0,
    renamed: helps.reduce((sum, { adapted }) => sum + Object.keys(adapted.renamed).length, 0) / K,
    useful: usefulAt(recommendations, target),
    silent: recommendations.every(({ confidence }) => confidence !== null && confidence < 0.1) ? 1 : 0,
    took: took.total!,
    helped: took.help!,
  });
}
for (const name of Object.keys(rows[0]!).slice(2)) {
  const found = rows.flatMap((row) => (typeof row[name] === "number" ? [row[name] as number] : []));
  process.stdout.write(
    `${name.padEnd(20)} ${(found.reduce((sum, value) => sum + value, 0) / found.length).toFixed(4)}\n`,
  );
}
if (values.out !== undefined) writeFileSync(values.out, JSON.stringify(rows));
await services.close();

function usefulAt(
  hits: readonly { code: string; confidence: number | null }[],
  target: Parameters<typeof callF1.of>[1],
) {
  const shown = hits.filter(({ confidence }) => confidence === null || confidence >= 0.1);
  return shown.some(({ code }) => (callF1.of(prepareText(code), target) ?? 0) >= USEFUL) ? 1 : 0;
}

/** The first line that is no comment, white space as single blanks. */
function firstLine(code: string): string {
  const line = code.split("\n").find((text) => text.trim() !== "" && !text.trim().startsWith("#"));
  return (line ?? "").trim().replace(/\s+/g, " ");
}
