import { execFile } from "node:child_process";
import { realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cellId, notebookId } from "../../src/notebook/extract.js";
import { celrec, ipynb, MAIN, makeFolder, start, TINY_MODEL } from "./celrec.js";

const READ = 'df = pd.read_csv("a.csv")';
const TWIN = `${READ}  # the data`;
const FIT = "model.fit(X, y)";

async function makeIndex(flags: readonly string[] = []) {
  const folder = makeFolder({ "n/a.ipynb": ipynb(READ, FIT), "n/b.ipynb": ipynb(TWIN, FIT), "cell.py": FIT });
  const data = join(folder, "index");
  const { code, stderr } = await celrec(["index", join(folder, "n"), "--data", data, ...flags]);
  expect([code, stderr]).toEqual([0, ""]);
  return { folder, data };
}

describe("celrec recommend", () => {
  it("finds cells for code in a file and on standard input", async () => {
    const { folder, data } = await makeIndex();
    const flags = ["-k", "1", "--mode", "similar", "--data", data];
    const [file, dash, nothing, json] = await Promise.all([
      celrec(["recommend", join(folder, "cell.py"), ...flags]),
      celrec(["recommend", "-", ...flags], { input: FIT }),
      celrec(["recommend", ...flags], { input: FIT }),
      celrec(["recommend", "--json", ...flags], { input: FIT }),
    ]);
    expect(file).toMatchObject({ code: 0, stderr: "" });
    expect(file.stdout).toMatch(
      /^query: train_model \d\.\d\d.*\n\n1\. a\.ipynb \[1\] {2}\d+\.\d{3} train_model, 2 times\n {3}.*a\.ipynb\n {3}model\.fit\(X, y\)\n$/,
    );
    expect(dash.stdout).toBe(file.stdout);
    expect(nothing.stdout).toBe(file.stdout);
    expect(JSON.parse(json.stdout)).toMatchObject({
      query: { primary: "train_model" },
      widened: false,
      recommendations: [
        {
          rank: 1,
          id: cellId(FIT),
          code: FIT,
          labels: ["train_model"],
          occurrences: 2,
          notebook: { id: notebookId("a.ipynb", realpathSync(join(folder, "n"))), name: "a.ipynb", cellIndex: 1 },
        },
      ],
    });
  });

  it("takes a cell of a notebook with the cells above, and excludes that notebook", async () => {
    const { folder, data } = await makeIndex();
    const own = join(folder, "n/own.ipynb");
    const cells = [
      { cell_type: "code", source: READ },
      { cell_type: "markdown", source: "## Train" },
      { cell_type: "code", source: "model.fit(" },
    ];
    writeFileSync(own, JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }));
    await celrec(["index", join(folder, "n"), "--data", data]);
    const ask = async (cell: string, ...flags: string[]) => {
      const command = ["recommend", own, "--cell", cell, "--json", "--min-confidence", "0", "--data", data];
      const { code, stdout, stderr } = await celrec([...command, ...flags]);
      return { code, stderr, answer: code === 0 ? JSON.parse(stdout) : null };
    };
    const [typed, next, behind, markdown, wrong, far] = await Promise.all([
      ask("2"),
      ask("next"),
      ask("3"),
      ask("1"),
      ask("x"),
      ask("9"),
    ]);
    const hits = (answer: { recommendations: { code: string }[] }) => answer.recommendations.map(({ code }) => code);
    expect(typed.answer.mode).toBe("complete");
    // The cell above is not recommended, and the cell itself occurs only in this notebook.
    expect(hits(typed.answer)).toEqual([FIT]);
    expect(next.answer.mode).toBe("next");
    expect(hits(behind.answer)).toEqual(hits(next.answer));
    expect(markdown).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("has no code cell at 1; its code cells are 0, 2"),
    });
    expect(far.stderr).toContain('Use 3 or "next" for a new cell at the end.');
    expect([wrong.code, far.code]).toEqual([2, 1]);
  });

  it("asks which cell of a notebook is meant, and for which notebook", async () => {
    const { folder, data } = await makeIndex();
    const [without, alone] = await Promise.all([
      celrec(["recommend", join(folder, "n/a.ipynb"), "--data", data]),
      celrec(["recommend", "--cell", "1", "--data", data], { input: "" }),
    ]);
    expect([without.code, alone.code]).toEqual([2, 2]);
    expect(without.stderr).toContain(
      "Give --cell N, counting all cells from 0, or --cell next for a new cell at the end",
    );
    expect(alone.stderr).toContain("celrec recommend NOTEBOOK.ipynb --cell 3");
  });

  it("shows a cell in the user's names", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb("df = pd.read_csv('a.csv')\ndf.head()") });
    const data = join(folder, "index");
    await celrec(["index", join(folder, "n"), "--data", data]);
    const { stdout } = await celrec(["recommend", "--mode", "complete", "--data", data], {
      input: "sales = pd.read_csv('b.csv')",
    });
    expect(stdout).toContain("\n   sales = pd.read_csv('a.csv')\n   sales.head()\n   in your names: df -> sales\n");
  });

  it("reports that the best matches add nothing", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb("m.fit(A, b)") });
    const settings = ["--embedder", "default", "--data", join(folder, "index")];
    await celrec(["index", join(folder, "n"), ...settings]);
    const ask = (min: string) => celrec(["recommend", "--min-confidence", min, ...settings], { input: FIT });
    const [any, sure] = await Promise.all([ask("0"), ask("1")]);
    expect(any.stdout).toContain("The matching cells add nothing to your code.\n");
    expect(sure.stdout).toMatch(/No good match \(best: \d+ %\); --min-confidence 0 shows it\./);
  });

  it("explains a score in words", async () => {
    const { data } = await makeIndex();
    const { stdout } = await celrec(["recommend", "--explain", "--mode", "similar", "-k", "1", "--data", data], {
      input: FIT,
    });
    expect(stdout).toMatch(/\n {3}\+ *\d+\.\d % {2}coverage: share of the typed words found in the cell, weighted by/);
    const shares = [...stdout.matchAll(/\n {3}[+-] *(\d+\.\d) %/g)].map(([, share]) => Number(share));
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(100, 0);
  });

  it("accepts the settings of REST as flags", async () => {
    const { data } = await makeIndex();
    const ask = async (...flags: string[]) => {
      const { code, stdout } = await celrec(["recommend", "--json", "--mode", "similar", "--data", data, ...flags], {
        input: FIT,
      });
      expect(code).toBe(0);
      return JSON.parse(stdout);
    };
    const [collapsed, all, label, excluded, strict] = await Promise.all([
      ask("-k", "9"),
      ask("-k", "9", "--no-collapse"),
      ask("-k", "1", "--label", "ingest_data"),
      ask("-k", "9", "--no-collapse", "--exclude", "a.ipynb", "--filter", "off"),
      ask("-k", "2", "--filter", "strict"),
    ]);
    expect(collapsed.recommendations.length).toBe(2);
    expect(all.recommendations.length).toBe(3);
    expect(label.recommendations[0].labels).toEqual(["ingest_data"]);
    expect(excluded.recommendations.map(({ notebook }: { notebook: { name: string } }) => notebook.name)).toEqual([
      "b.ipynb",
      "b.ipynb",
    ]);
    expect([strict.widened, strict.recommendations[0].code]).toEqual([true, FIT]);
  });

  it("answers an empty cell and NUL, and creates no index", async () => {
    const { folder, data } = await makeIndex();
    const [empty, nul, nowhere] = await Promise.all([
      celrec(["recommend", "--data", data], { input: "" }),
      celrec(["recommend", "--data", data, "--json"], { input: "model.fit(X\0, y)" }),
      celrec(["recommend", "--data", join(folder, "other")], { input: FIT }),
    ]);
    expect([empty.code, empty.stderr]).toEqual([0, expect.stringContaining("There is no code and no context")]);
    expect(empty.stdout).toBe("");
    expect([nul.code, JSON.parse(nul.stdout).recommendations[0].code]).toEqual([0, FIT]);
    expect([nowhere.code, nowhere.stdout, nowhere.stderr]).toEqual([
      1,
      "",
      `celrec: There is no index in ${join(folder, "other")}. Is the folder right? celrec index creates one.\n`,
    ]);
  });

  it("exits 2 for invalid values, and 1 for missing or too large input", async () => {
    const { folder, data } = await makeIndex();
    writeFileSync(join(folder, "large.py"), "x".repeat(2 ** 20));
    const ask = (...words: string[]) => celrec(["recommend", "--data", data, ...words], { input: FIT });
    const [zero, minus, billion, half, label, filter, missing, large] = await Promise.all([
      ask("-k", "0"),
      ask("-k", "-1"),
      ask("-k", "1e9"),
      ask("-k", "3.5"),
      ask("--label", "read_data"),
      ask("--filter", "hard"),
      ask(join(folder, "nowhere.py")),
      ask(join(folder, "large.py")),
    ]);
    for (const [text, { code, stdout, stderr }] of Object.entries({
      "0": zero,
      "-1": minus,
      "1e9": billion,
      "3.5": half,
    }))
      expect([code, stdout, stderr]).toEqual([
        2,
        "",
        `error: option '-k, --k <number>' argument '${text}' is invalid. It must be an integer from 1 to 100.\nSee: celrec recommend --help\n`,
      ]);
    expect([label.code, label.stderr]).toMatchObject([
      2,
      expect.stringMatching(/^celrec: "read_data" is not a label; the labels are setup_notebook, /),
    ]);
    expect(filter.code).toBe(2);
    expect([missing.code, missing.stderr]).toEqual([
      1,
      `celrec: ${join(folder, "nowhere.py")} cannot be read: there is no such file.\n`,
    ]);
    expect([large.code, large.stderr]).toEqual([
      1,
      "celrec: The code has 1048576 bytes; the limit is 262144 (256 KB).\n",
    ]);
  });

  it("prints no escape sequence from a cell or a file name", async () => {
    const folder = makeFolder({
      "n/\u001b]0;title\u0007.ipynb": ipynb("x = '\u001b[2J\u009b31m'"),
      "n/b.ipynb": "[\u001b",
    });
    const data = join(folder, "index");
    const indexed = await celrec(["index", join(folder, "n"), "--data", data]);
    const [text, json] = await Promise.all([
      celrec(["recommend", "-k", "1", "--mode", "similar", "--data", data], { input: "x = ''" }),
      celrec(["recommend", "-k", "1", "--mode", "similar", "--data", data, "--json"], { input: "x = ''" }),
    ]);
    for (const { stdout, stderr } of [indexed, text, json])
      expect(`${stdout}${stderr}`).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
    expect(text.stdout).toContain("1. \\u001b]0;title\\u0007.ipynb [0]");
    expect(text.stdout).toContain("   x = '\\u001b[2J\\u009b31m'");
    expect(JSON.parse(json.stdout).recommendations[0].code).toBe("x = '\u001b[2J\u009b31m'");
  });

  it("accepts a closed pipe", async () => {
    const { data } = await makeIndex();
    const line = `"${process.execPath}" "${MAIN}" recommend -k 100 --data "${data}" --json | head -1`;
    const [stdout, stderr] = await new Promise<[string, string]>((resolve) => {
      const env = { ...process.env, CELREC_EMBEDDER: "lexical" };
      execFile("sh", ["-c", `echo 'model.fit(X, y)' | ${line}`], { env }, (_error, out, err) => resolve([out, err]));
    });
    expect([stdout, stderr]).toEqual(["{\n", ""]);
  });

  it("is ended by Ctrl-C while it waits for code on standard input", async () => {
    const { data } = await makeIndex();
    const { child, ended } = start(["recommend", "--data", data]);
    // The output is larger than the buffer of a pipe, so writing waits until the command reads.
    await new Promise((resolve) => child.stdin!.write("#".repeat(2 ** 20), resolve));
    child.kill("SIGINT");
    const { signal } = await ended;
    expect(signal).toBe("SIGINT");
  });

  it("is the paper's recommender with --preset paper", async () => {
    const paper = ["--preset", "paper", "--model", TINY_MODEL];
    const env = { CELREC_EMBEDDER: "" };
    const folder = makeFolder({ "n/a.ipynb": ipynb(READ, FIT, "x = 1"), "n/b.ipynb": ipynb(TWIN) });
    const data = join(folder, "index");
    const indexed = await celrec(["index", join(folder, "n"), "--data", data, ...paper], { env });
    expect([indexed.code, indexed.stderr]).toEqual([0, ""]);
    const [answer, stats, wrong] = await Promise.all([
      celrec(["recommend", "-k", "3", "--json", "--data", data, ...paper], { env, input: READ }),
      celrec(["stats", "--json", "--data", data, ...paper], { env }),
      celrec(["stats", "--data", data, ...paper], { env: { CELREC_EMBEDDER: "lexical" } }),
    ]);
    const { query, widened, recommendations } = JSON.parse(answer.stdout);
    expect([query.primary, widened]).toEqual(["ingest_data", true]);
    expect(recommendations.length).toBe(3);
    const codes = recommendations.map(({ code }: { code: string }) => code);
    expect(codes.slice(0, 2).sort()).toEqual([READ, TWIN]);
    expect(JSON.parse(stats.stdout).embedder.id).toMatch(/^codebert:/);
    expect(wrong).toMatchObject({
      code: 1,
      stderr:
        'celrec: The configuration is wrong:\nCELREC_EMBEDDER: must be codebert or unset, because the preset is paper (it is "lexical")\n',
    });
  });
});
