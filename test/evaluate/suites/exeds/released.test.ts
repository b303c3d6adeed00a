import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readProblems } from "../../../../src/evaluate/suites/exeds/exeds-released.js";
import type { ExedsResult } from "../../../../src/evaluate/suites/exeds/exeds-score.js";
import { parseResult } from "../../../../src/evaluate/suites/index.js";
import { celrec, SAMPLES } from "../../../cli/celrec.js";
import { hasKernels, python } from "../../execute/python.js";

/** Made by us in the form of ExeDS's release. */
const RELEASED = "test/evaluate/suites/exeds/released";
const folder = mkdtempSync(join(tmpdir(), "celrec-released-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("ExeDS's released files", () => {
  it("give each executable problem its notebook up to the cell, its answers and their type", async () => {
    const notes: string[] = [];
    const problems = await readProblems(`${RELEASED}/exeds_test.json`, { note: (text) => notes.push(text) });
    const load = "df = pd.read_csv('./passengers.csv')\nadults = df[df.age >= 18]";
    expect(problems[0]).toEqual({
      id: "file_7R4",
      notebook: "file_7",
      before: ["import pandas as pd", load],
      context: [
        { type: "code", source: "import pandas as pd" },
        { type: "code", source: load },
      ],
      columns: "df.columns=['age', 'class']",
      intent: "Mean age",
      reference: "df.age.mean()",
      output: "29.7",
      answers: ["29.7", "", ""],
      answerType: "number",
      files: { "passengers.csv": { path: `${RELEASED}/ExeDS_notebooks/file_7/passengers.csv`, bytes: 36 } },
    });
    expect(problems[1]).toMatchObject({
      id: "file_7R6",
      before: ["import pandas as pd", load, "df.age.mean()"],
      context: [
        { type: "markdown", source: "Mean age" },
        { type: "code", source: "df.age.mean()" },
      ],
      answers: ["[2, 1, 1]", "class\n1    2\n2    1\n3    1", ""],
      answerType: "array number",
    });
    expect(problems[2]).toMatchObject({
      id: "file_9R3",
      before: [
        "import pandas as pd\nsales = pd.read_csv('./sales.csv')",
        "best = sales.sort_values('units')['product'].iloc[-1]",
      ],
      columns: "",
      answers: ["'coffee'", "coffee", ""],
    });
    expect(problems).toHaveLength(3);
    expect(notes).toEqual(["1 of 4 entries are not executable and are left out."]);
  });

  it("are refused with the name of a missing part", async () => {
    const file = join(folder, "exeds_test.json");
    writeFileSync(file, "[]");
    const read = (notebooks?: string) => readProblems(file, { notebooks, note: () => {} });
    await expect(read()).rejects.toThrow(
      `There is no folder ${join(folder, "ExeDS_notebooks")}; name the notebooks of ExeDS's release with --exeds-notebooks FOLDER.`,
    );
    await expect(read(folder)).rejects.toThrow(`There is no answers.csv at ${join(folder, "answers.csv")}`);
    writeFileSync(file, '[{"file": "../x", "executable": 1, "output": {"ori": "x", "position": 1}}]');
    await expect(read(folder)).rejects.toThrow(`${file}, entry 0.file: must be the name of a folder`);
  });

  it.skipIf(!hasKernels)(
    "are scored, and their predictions written for ExeDS's program",
    {
      timeout: 300_000,
    },
    async () => {
      const answers = { "Mean age": "round(df.age.mean(), 1)", "Show the product that sells best": "print(best)" };
      writeFileSync(join(folder, "answers.json"), JSON.stringify(answers));
      writeFileSync(
        join(folder, "generate.mjs"),
        "import { readFileSync } from 'node:fs';\n" +
          "const answers = JSON.parse(readFileSync(new URL('answers.json', import.meta.url), 'utf8'));\n" +
          "const { markdown, before } = JSON.parse(readFileSync(0, 'utf8'));\n" +
          "process.stdout.write(answers[markdown] ?? 'print(' + JSON.stringify(before[0]) + ')');\n",
      );
      const stdin = '{"markdown": {{context.markdown_json}}, "before": {{context.before_json}}}';
      const step = { command: [process.execPath, "generate.mjs"], stdin };
      const target = join(folder, "target.json");
      writeFileSync(target, JSON.stringify({ recommend: { steps: [step] } }));
      const generations = join(folder, "generations.json");
      const { code, stdout, stderr } = await celrec([
        ...["eval", "exeds", "--cases", `${RELEASED}/exeds_test.json`, "--target", target, "--index", SAMPLES],
        ...["--python", python, "--paper-protocol", "--generations", generations, "--no-baselines", "--json"],
        ...["--data", join(folder, ".celrec")],
      ]);
      expect([code, stderr]).toEqual([0, expect.stringContaining("1 of 4 entries are not executable")]);
      const { cases, config, tables } = parseResult(stdout, "stdout") as ExedsResult;
      expect(config.secondsPerCell).toBe(1_000);
      const verdicts = cases.map(({ id, values, notes }) => [
        id,
        values["output-em"],
        values["output-em-published"],
        notes!["raw output"],
      ]);
      expect(verdicts).toEqual([
        ["file_7R4", 1, 1, "right"],
        ["file_7R6", 0, 0, "nothing right"],
        ["file_9R3", 1, 1, "right"],
      ]);
      expect(tables.libraries).toEqual([{ name: "pandas", problems: 3, outputEm: 2 / 3, adaptedOutputEm: 2 / 3 }]);
      expect(JSON.parse(readFileSync(generations, "utf8"))).toEqual([
        { target: "df.age.mean()", generation: answers["Mean age"] },
        {
          target: "print(adults.groupby('class').size().tolist())",
          // The target gets the columns before the cells above.
          generation: `print("df.columns=['age', 'class']")`,
        },
        { target: "best", generation: "print(best)" },
      ]);
    },
  );
});
