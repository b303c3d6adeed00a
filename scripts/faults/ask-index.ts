// Requests recommendations and searches from an index, and prints a hash of each answer as JSON: ask-index.js DATA
// QUESTIONS.json
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { compose } from "../../src/app/compose.js";
import { parseConfig } from "../../src/config.js";

const [data, file] = process.argv.slice(2);
const questions = JSON.parse(readFileSync(file!, "utf8")) as string[];
const hash = (value: unknown) => createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
const { ask, store, close } = await compose(parseConfig({ CELREC_DATA: data! }), {
  activity: "look",
  hold: "call",
  create: false,
});
const answers: string[] = [hash(await store.counts())];
for (const code of questions) {
  const { recommendations } = await ask.recommend({ code, k: 5, mode: "similar" });
  const { cells } = await ask.search({ text: code, k: 5 });
  answers.push(hash([recommendations.map(({ id, code: found, notebook }) => [id, found, notebook]), cells]));
}
await close();
console.log(JSON.stringify(answers));
