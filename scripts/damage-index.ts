// Checks that a damaged index never gives a wrong answer:
//   node dist/scripts/damage-index.js FOLDER [TRIES] [SEED]
// Indexes the FOLDER, then truncates or changes each file of the index at random places. The answers must equal those
// of the intact index, or be an error that names the damage.
import { execFile } from "node:child_process";
import {
  closeSync,
  cpSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assetPath } from "../src/config.js";
import { createRandom } from "../src/evaluate/statistics/bootstrap.js";
import { readNotebooks } from "../src/notebook/corpus/open-paths.js";
import { extractCells } from "../src/notebook/extract.js";

const QUESTIONS = 30;
const [folder = "examples/notebooks", tries = "50", seed = "1"] = process.argv.slice(2);
const random = createRandom(Number(seed));
const work = mkdtempSync(join(tmpdir(), "celrec-damage-"));
const whole = join(work, "whole");
const questions = join(work, "questions.json");
const tally = new Map<string, Record<string, number>>();
const wrong: string[] = [];
try {
  const indexed = await runScript("dist/src/cli/main.js", ["index", folder, "--data", whole]);
  if (indexed.code !== 0 && indexed.code !== 4) throw new Error(`celrec index failed: ${indexed.stderr}`);
  writeFileSync(questions, JSON.stringify(await drawQuestions()));
  const expected = await runScript("dist/scripts/faults/ask-index.js", [whole, questions]);
  if (expected.code !== 0) throw new Error(`the intact index does not answer: ${expected.stderr}`);
  const files = readdirSync(whole).filter((file) => statSync(join(whole, file)).size > 0);
  for (let at = 0; at < Number(tries); at += 1) {
    const copy = join(work, "copy");
    cpSync(whole, copy, { recursive: true });
    const file = files[at % files.length]!;
    const what = damageFile(join(copy, file));
    const { code, stdout, stderr } = await runScript("dist/scripts/faults/ask-index.js", [copy, questions]);
    const outcome = describeVerdict(code, stdout === expected.stdout, stderr);
    const counts = tally.get(kindOf(file)) ?? {};
    tally.set(kindOf(file), { ...counts, [outcome]: (counts[outcome] ?? 0) + 1 });
    if (outcome === "WRONG") wrong.push(`${file}, ${what}: exit ${code}, ${stderr.trim().split("\n").at(-1)}`);
    rmSync(copy, { recursive: true });
  }
  console.log(JSON.stringify({ tries: Number(tries), outcomes: Object.fromEntries(tally), wrong }, null, 1));
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Equal answers and errors of celrec are correct; anything else is wrong. */
function describeVerdict(code: number, isEqual: boolean, stderr: string): string {
  if (code === 0) return isEqual ? "same answers" : "WRONG";
  return /RecommenderError|STORE_UNAVAILABLE|INDEX_|NOT_FOUND/.test(stderr) ? "named" : "WRONG";
}

function damageFile(path: string): string {
  const { size } = statSync(path);
  const at = Math.floor(random() * size);
  if (random() < 0.3) {
    truncateSync(path, at);
    return `cut to ${at} of ${size} bytes`;
  }
  const file = openSync(path, "r+");
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, at);
  byte[0]! ^= 1 << Math.floor(random() * 8);
  writeSync(file, byte, 0, 1, at);
  closeSync(file);
  return `a bit changed at ${at} of ${size}`;
}

async function drawQuestions(): Promise<string[]> {
  const codes: string[] = [];
  for await (const { parsed } of readNotebooks([folder]))
    if ("notebook" in parsed) codes.push(...extractCells(parsed.notebook).map(({ code }) => code.slice(0, 300)));
  return Array.from({ length: QUESTIONS }, () => codes[Math.floor(random() * codes.length)]!);
}

/** The role of a file, independent of its generated name. */
function kindOf(file: string): string {
  return file.replace(/-[0-9a-f]+-\d+\.snapshot$/, ".snapshot");
}

function runScript(
  script: string,
  words: readonly string[],
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [assetPath(script), ...words],
      { maxBuffer: 2 ** 26, timeout: 120_000 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
        resolve({ code, stdout, stderr });
      },
    );
  });
}
