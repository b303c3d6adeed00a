import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { celrec, celrecProcess, ipynb, MAIN, makeFolder, ROOT } from "./celrec.js";

describe("celrec", () => {
  it("prints its version and help to stdout", async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const [shown, help, serve] = await Promise.all([
      celrecProcess(["--version"]),
      celrecProcess(["--help"]),
      celrec(["serve", "--help"]),
    ]);
    expect(shown).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: "" });
    expect([help.code, help.stderr]).toEqual([0, ""]);
    for (const name of ["serve", "index", "recommend", "label", "stats", "reembed", "delete", "clear", "doctor"])
      expect(help.stdout).toMatch(new RegExp(`^  ${name} `, "m"));
    expect(serve.stdout).toContain("CELREC_PORT");
  });

  it("exits 2 for an unknown command or flag, and suggests a near one", async () => {
    const [command, flag, near, nothing] = await Promise.all([
      celrecProcess(["frobnicate"]),
      celrec(["stats", "--frobnicate"]),
      celrec(["indx", "."]),
      celrecProcess([]),
    ]);
    expect(command).toMatchObject({
      code: 2,
      stdout: "",
      stderr: "error: unknown command 'frobnicate'\nSee: celrec --help\n",
    });
    expect(flag).toMatchObject({
      code: 2,
      stdout: "",
      stderr: "error: unknown option '--frobnicate'\nSee: celrec stats --help\n",
    });
    expect(near).toMatchObject({
      code: 2,
      stderr: "error: unknown command 'indx'\n(Did you mean index?)\nSee: celrec --help\n",
    });
    expect([nothing.code, nothing.stdout]).toEqual([2, ""]);
  });

  it("lists the flags of the index only for commands that open one", async () => {
    const flagsOf = async (...words: string[]) => {
      const { stdout } = await celrec([...words, "--help"]);
      return ["data", "store", "embedder", "labels", "json"].filter((name) => stdout.includes(`\n  --${name} `));
    };
    expect(await flagsOf("eval", "juice")).toEqual(["data", "store", "embedder", "labels", "json"]);
    expect(await flagsOf("eval", "labels")).toEqual(["labels", "json"]);
    expect(await flagsOf("eval", "feedback")).toEqual(["data", "json"]);
    for (const words of [["eval", "compare"], ["eval", "matrix"], ["eval", "build", "juice"], ["record"]])
      expect(await flagsOf(...words)).toEqual(["json"]);
  });

  it("names every mistake of the configuration at once", async () => {
    const env = { CELREC_PORT: "99999", CELREC_STORE: "sqlite", CELREC_TOKEN: "short" };
    const { code, stdout, stderr } = await celrec(["stats", "--preset", "fast"], { env });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr.split("\n").map((line) => line.split(":")[0])).toEqual([
      "celrec",
      "CELREC_STORE",
      "CELREC_PRESET",
      "CELREC_TOKEN",
      "CELREC_PORT",
      "",
    ]);
  });

  it("prefers a flag to the environment, and the environment to the default", async () => {
    const folder = makeFolder();
    const clear = (words: string[], env: Record<string, string>) => celrec(["clear", ...words], { env, cwd: folder });
    const [flag, variable, fallback] = await Promise.all([
      clear(["--data", "flag"], { CELREC_DATA: "variable" }),
      clear([], { CELREC_DATA: "variable" }),
      clear([], {}),
    ]);
    expect(flag.stderr).toContain("the index in flag;");
    expect(variable.stderr).toContain("the index in variable;");
    expect(fallback.stderr).toContain("the index in .celrec;");
  });

  it("uses colours only on a terminal, and not if NO_COLOR is set", async () => {
    const folder = makeFolder({ "a.ipynb": ipynb("x = 1") });
    await celrec(["index", folder, "--data", join(folder, "index")]);
    const onTerminal = (env: Record<string, string>) =>
      new Promise<string>((resolve, reject) => {
        const line = `echo x | '${process.execPath}' '${MAIN}' recommend --data '${join(folder, "index")}'`;
        const options = { env: { ...process.env, CELREC_EMBEDDER: "lexical", ...env } };
        execFile("script", ["-qec", line, "/dev/null"], options, (error, out) =>
          error ? reject(error) : resolve(out),
        );
      });
    const plain = await celrec(["recommend", "--data", join(folder, "index")], { input: "x" });
    expect(plain.stdout).not.toContain("\u001b[");
    let painted: string;
    try {
      painted = await onTerminal({ NO_COLOR: "" });
    } catch (error) {
      console.warn(`skipped: no terminal can be made here: ${(error as Error).message}`);
      return;
    }
    expect(painted).toContain("\u001b[2mquery: ");
    expect(await onTerminal({ NO_COLOR: "1" })).not.toContain("\u001b[");
  });
});
