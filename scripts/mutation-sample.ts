// Measures how many small changes of the code the tests detect, with Stryker: `npm run mutation:sample -- [PART...]
// [--share .05] [--seed 1]`. Tries a random share of the changes of each part; `--share 1` tries all, which takes
// hours.
import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { PARTS } from "./mutation/parts.js";
import { scoreOf } from "./mutation/score.js";

const REPORT = "reports/mutation.json";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { share: { type: "string", default: ".05" }, seed: { type: "string", default: "1" } },
});
const names = (positionals.length > 0 ? positionals : Object.keys(PARTS)) as (keyof typeof PARTS)[];
const unknown = names.filter((name) => !(name in PARTS));
if (unknown.length > 0)
  throw new Error(`There is no part ${unknown.join(", ")}; there are ${Object.keys(PARTS).join(", ")}.`);

const lines = names.map((name) => {
  const { mutate, tests } = PARTS[name];
  const env = { ...process.env, CELREC_MUTATION_SHARE: values.share, CELREC_MUTATION_SEED: values.seed };
  const options = ["--mutate", mutate.join(","), "--testFiles", tests.join(","), "--checkers", "sample"];
  const { status } = spawnSync("npx", ["stryker", "run", ...options], { stdio: "inherit", env });
  if (status !== 0) throw new Error(`Stryker ended with ${status} for ${name}.`);
  copyFileSync(REPORT, `reports/mutation-${name}.json`);
  const { mutants, unreached, tried, score, low, high } = scoreOf(JSON.parse(readFileSync(REPORT, "utf8")));
  const percent = (share: number) => (100 * share).toFixed(1);
  return `${name}: ${percent(score)} % [${percent(low)}, ${percent(high)}] of ${mutants} changes detected (${tried} tried, ${unreached} not reached by any test)`;
});
console.log(lines.join("\n"));
