// Run by the release workflow: fails unless every package has the version of the tag. `node scripts/check-versions.mjs 0.1.0`
import { readFileSync } from "node:fs";

const wanted = process.argv[2];
const read = (file) => readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
const files = ["package.json", "clients/jupyterlab/package.json", "clients/vscode/package.json"];
const versions = [
  ...files.map((file) => [file, JSON.parse(read(file)).version]),
  ...["clients/jupyterlab/pyproject.toml", "clients/python/pyproject.toml"].map((file) => [
    file,
    /^version = "(.+)"$/m.exec(read(file))?.[1],
  ]),
];
const wrong = versions.filter(([, version]) => version !== wanted);
for (const [file, version] of wrong) console.error(`${file} has the version ${version}, not ${wanted}.`);
process.exitCode = wrong.length === 0 ? 0 : 1;
