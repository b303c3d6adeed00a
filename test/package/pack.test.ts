import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeFolder, ROOT, TINY_MODEL } from "../cli/celrec.js";
import { takesLong } from "../require.js";
import { compileProgram, PROGRAM, strictProject } from "./program.js";

/** npm's messages for an unreachable registry. They differ from its messages for a package that fails to install. */
const NO_NETWORK = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED|network/i;

function run(file: string, words: readonly string[], cwd: string, input = "") {
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    // An environment without the settings of the user's npm and of the npm that runs the tests.
    const env = {
      PATH: process.env.PATH ?? "",
      HOME: process.env.HOME ?? "",
      npm_config_userconfig: "/dev/null",
      npm_config_fund: "false",
      npm_config_audit: "false",
    };
    const child = execFile(file, [...words], { cwd, env, maxBuffer: 2 ** 26 }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

describe.skipIf(!takesLong())("the package", () => {
  it("installs in an empty folder, compiles and runs there, also if the optional CodeBERT packages do not install", {
    timeout: 240_000,
  }, async ({ skip }) => {
    const folder = makeFolder(strictProject(PROGRAM));
    const packed = await run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], ROOT);
    expect([packed.code, packed.code === 0 ? "" : packed.stderr]).toEqual([0, ""]);
    const [{ filename, files }] = JSON.parse(packed.stdout) as [{ filename: string; files: { path: string }[] }];
    const tops = new Set(files.map(({ path }) => path.split("/")[0]!));
    for (const name of ["dist", "models", "prompts", "seeds", "examples", "web", "package.json", "LICENSE"])
      expect(tops).toContain(name);
    const paths = files.map(({ path }) => path);
    expect(paths.filter((path) => path.endsWith(".map"))).toEqual([]);
    for (const name of ["embedder", "rerank", "complete"]) expect(paths).toContain(`models/${name}/model.json`);
    expect([...tops].filter((name) => ["src", "test", "node_modules", ".celrec"].includes(name))).toEqual([]);

    // Not --omit=optional: the binaries of libsql are optional packages, too, one per platform.
    const installed = await run("npm", ["install", "--prefer-offline", join(folder, filename)], folder);
    if (installed.code !== 0 && NO_NETWORK.test(installed.stderr)) {
      console.warn(
        `skipped: the registry cannot be reached, so nothing can be installed: ${installed.stderr.slice(0, 200)}`,
      );
      return skip();
    }
    expect([installed.code, installed.code === 0 ? "" : installed.stderr]).toEqual([0, ""]);

    expect(compileProgram(folder)).toBe("");

    const celrec = (words: readonly string[], input?: string) =>
      run("npx", ["--no", "--", "celrec", ...words], folder, input);
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    expect(await celrec(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
    const samples = join(folder, "node_modules/celrec/examples/notebooks");
    mkdirSync(join(folder, "data"));
    const indexed = await celrec(["index", join(samples, "customer-churn-baseline.ipynb"), "--data", "data"]);
    expect([indexed.code, indexed.stderr]).toEqual([0, ""]);
    expect(indexed.stdout).toMatch(/^1 notebooks \(0 unchanged, 0 replaced\), \d+ cells: /);
    const answer = await celrec(
      ["recommend", "-k", "2", "--mode", "similar", "--json", "--data", "data"],
      "df = pd.read_csv(",
    );
    expect(JSON.parse(answer.stdout).recommendations.length).toBe(2);
    if (existsSync(join(folder, "node_modules/@xenova/transformers"))) return;
    const codebert = await celrec(["stats", "--embedder", "codebert", "--model", TINY_MODEL, "--data", "data"]);
    expect(codebert.code).toBe(1);
    expect(codebert.stderr).toContain("npm install @xenova/transformers");
  });
});
