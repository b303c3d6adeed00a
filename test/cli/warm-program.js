// Runs several command lines in one process, so that a test does not wait for Node and the modules to load.
// Descriptors, arguments, environment and exit code are those of the built program; only the process is shared.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

let input = "";
const { readFileSync } = fs;
// Standard input can be read to its end once only.
fs.readFileSync = (file, options) => (file === 0 ? input : readFileSync(file, options));
syncBuiltinESMExports();

const { createProgram } = await import("../../dist/src/cli/program.js");

process.on("message", async ({ words, env, cwd, input: text, end }) => {
  input = text;
  process.chdir(cwd);
  process.argv.splice(2, process.argv.length, ...words);
  const code = await run(words, env);
  process.stdout.write(end);
  process.stderr.write(end);
  process.send({ code });
});
process.on("disconnect", () => process.exit());

async function run(words, env) {
  try {
    return await createProgram(env, () => new AbortController().signal)(words);
  } catch (error) {
    process.stderr.write(`${error.stack}\n`);
    return 1;
  }
}
