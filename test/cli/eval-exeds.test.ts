import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ExedsResult } from "../../src/evaluate/suites/exeds/exeds-score.js";
import { parseResult } from "../../src/evaluate/suites/index.js";
import { hasKernels, python } from "../evaluate/execute/python.js";
import { celrec, makeFolder, SAMPLES } from "./celrec.js";

/** The generator's answer for each question, and how it must end. `OUT` is a folder that it must not touch. */
const ATTACKS: Readonly<Record<string, readonly [code: string, ...endings: string[]]>> = {
  loop: ["while True: pass", "timeout"],
  flood: ["for _ in range(10**6): print('y' * 1000)", "output"],
  fork: ["import os\nwhile True: os.fork()", "processes", "timeout", "BlockingIOError"],
  read: ["open('OUT/kept').read()", "FileNotFoundError"],
  socket: [
    "import socket\nsocket.create_connection(('127.0.0.1', PORT), timeout=2)",
    "OSError",
    "ConnectionRefusedError",
  ],
  kill: ["import os\nos.kill(os.getpid(), 9)", "died"],
  remove: [
    "import os, shutil\nshutil.rmtree(os.getcwd())\nopen('a', 'w')",
    "OSError",
    "FileNotFoundError",
    "PermissionError",
  ],
  write: ["f = open('big', 'wb')\nfor _ in range(10240): f.write(b'x' * 2**20)", "OSError"],
  outside: ["open('OUT/new', 'w')", "OSError", "FileNotFoundError"],
  leave: [
    "import subprocess\nsubprocess.Popen(['sleep', '97531'], start_new_session=True)\n1 / 0",
    "ZeroDivisionError",
  ],
  answer: ["x + 1", "ok"],
};

describe.skipIf(!hasKernels)("celrec eval exeds", () => {
  it("scores a hostile prediction 0 with the reason, continues, and cleans up", {
    timeout: 300_000,
  }, async () => {
    const folder = makeFolder();
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
    write("kept", "as it was");
    const problems = Object.keys(ATTACKS).map((id) => ({
      id,
      context: ["x = 1"],
      intent: id,
      reference: "x + 1",
      output: "2",
    }));
    write("problems.jsonl", problems.map((each) => `${JSON.stringify(each)}\n`).join(""));
    const codes = Object.entries(ATTACKS).map(([id, [code]]) => [
      id,
      code.replaceAll("OUT", folder).replace("PORT", "22"),
    ]);
    write("answers.json", JSON.stringify(Object.fromEntries(codes)));
    write(
      "generate.mjs",
      "import { readFileSync } from 'node:fs';\n" +
        "const answers = JSON.parse(readFileSync(new URL('answers.json', import.meta.url), 'utf8'));\n" +
        "process.stdout.write(answers[readFileSync(0, 'utf8')]);\n",
    );
    const step = { command: [process.execPath, "generate.mjs"], stdin: "{{context.markdown}}" };
    write("target.json", JSON.stringify({ recommend: { steps: [step] } }));
    const before = readdirSync(folder).sort();
    const words = ["--cases", "problems.jsonl", "--target", "target.json"].map((word) =>
      word.startsWith("--") ? word : join(folder, word),
    );
    const { code, stdout, stderr } = await celrec(
      ["eval", "exeds", ...words, "--index", SAMPLES, "--python", python, "--seconds", "8", "--no-variables"].concat([
        "--no-baselines",
        "--data",
        join(folder, ".celrec"),
        "--json",
      ]),
    );
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("failed")]);
    const { cases, metrics } = parseResult(stdout, "stdout") as ExedsResult;
    const open = cases.filter(({ id, notes }) => !ATTACKS[id]!.slice(1).includes(notes!.raw!));
    expect(open.map(({ id, notes }) => [id, notes!.raw])).toEqual([]);
    expect(metrics["output-em"]).toBeCloseTo(1 / cases.length, 12);
    expect(
      readdirSync(folder)
        .filter((name) => name !== ".celrec")
        .sort(),
    ).toEqual(before);
    expect(readFileSync(join(folder, "kept"), "utf8")).toBe("as it was");
    expect(processesWith("97531")).toEqual([]);
  });

  it("reports problems whose context does not run, and measures nothing if none runs", {
    timeout: 300_000,
  }, async () => {
    const good = { id: "good", context: ["x = 1"], intent: "?", reference: "x", output: "1" };
    const bad = { ...good, id: "bad", context: ["import nothing_of_that_name"] };
    const folder = makeFolder({
      "some.jsonl": `${JSON.stringify(good)}\n${JSON.stringify(bad)}\n`,
      "none.jsonl": JSON.stringify(bad),
      "target.json": JSON.stringify({ recommend: { steps: [{ command: ["printf", "x"] }] } }),
    });
    const run = (cases: string) =>
      celrec(
        ["eval", "exeds", "--cases", cases, "--target", "target.json", "--index", SAMPLES, "--python", python].concat([
          "--no-baselines",
          "--data",
          ".celrec",
        ]),
        { cwd: folder },
      );
    const why =
      "of 2 problems do not run, bad for example: ModuleNotFoundError. Check that the Python of --python has the packages that they import.";
    const [some, none] = [await run("some.jsonl"), await run("none.jsonl")];
    expect([some.code, some.stderr]).toEqual([0, expect.stringContaining(`The cells above 1 ${why}`)]);
    expect([none.code, none.stdout]).toEqual([2, ""]);
    expect(none.stderr).toBe(`celrec: Nothing is measured. The cells above 1 ${why.replace("of 2", "of 1")}\n`);
    expect(readdirSync(join(folder, ".celrec", "eval"))).toEqual([]);
  });
});

function processesWith(word: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    const file = `/proc/${pid}/cmdline`;
    if (!/^\d+$/.test(pid) || !existsSync(file)) return false;
    try {
      return readFileSync(file, "utf8").includes(word);
    } catch {
      // The process ended during the check.
      return false;
    }
  });
}
