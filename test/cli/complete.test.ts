import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { celrec, ipynb, makeFolder } from "./celrec.js";

async function makeIndex() {
  const folder = makeFolder({ "n/a.ipynb": ipynb("import pandas as pd", "df = pd.read_csv('a.csv')", "df.head()") });
  const data = join(folder, "index");
  const { code, stderr } = await celrec(["index", join(folder, "n"), "--data", data]);
  expect([code, stderr]).toEqual([0, ""]);
  return { folder, data };
}

describe("celrec complete", () => {
  it("answers JSON, and reports if nothing is likely enough", async () => {
    const { data } = await makeIndex();
    const flags = ["--min-confidence", "1", "--data", data];
    const [plain, json] = await Promise.all([
      celrec(["complete", "-", ...flags], { input: "zqx" }),
      celrec(["complete", "--json", ...flags], { input: "zqx" }),
    ]);
    expect(plain).toMatchObject({ code: 0, stdout: "", stderr: "No completion is likely enough.\n" });
    expect(JSON.parse(json.stdout)).toMatchObject({ completions: [], id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  });

  it.each<[string[], string]>([
    [["--column", "3"], "--column needs --line: celrec complete FILE --line 2 --column 8"],
    [["--line", "4"], "--line 4 does not exist; the text has 3 lines."],
    [["--line", "2", "--column", "5"], "--column 5 does not exist; line 2 has 3 characters and ends at column 4."],
    [["--line", "1", "--suffix", "x"], "Give either --suffix or --line, not both."],
    [["--cell", "1"], "--cell needs a notebook: celrec complete NOTEBOOK.ipynb --cell 3 --line 2"],
  ])("refuses %j", async (words, message) => {
    const folder = makeFolder({ "cell.py": "a\nbcd\n\n" });
    const result = await celrec(["complete", join(folder, "cell.py"), ...words, "--data", folder]);
    expect(result).toEqual({ code: 2, signal: null, stdout: "", stderr: `celrec: ${message}\n` });
  });

  it("needs to know which cell of a notebook is meant", async () => {
    const folder = makeFolder();
    const path = join(folder, "a.ipynb");
    writeFileSync(path, ipynb("x = 1"));
    const { code, stderr } = await celrec(["complete", path, "--data", folder]);
    expect([code, stderr]).toEqual([2, `celrec: Which cell of ${path}? Give --cell N, counting all cells from 0.\n`]);
  });
});
