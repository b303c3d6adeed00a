import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cellId } from "../../src/notebook/extract.js";
import { requires } from "../require.js";
import { celrec, ipynb, makeFolder, openIndex, ROOT, SAMPLES } from "./celrec.js";

const READ = "# the raw table\ndf = pd.read_csv('a.csv')\ndf.head()";
const FIT = "from sklearn.svm import SVC\nmodel = SVC()\nmodel.fit(X, y)";

const python = process.env.CELREC_TEST_PYTHON ?? join(ROOT, ".venv-test/bin/python");
const VALIDATE = `
import importlib.util, json, pathlib, sys, jsonschema
[root] = importlib.util.find_spec("elyra").submodule_search_locations
schema = json.loads((pathlib.Path(root) / "metadata/schemas/code-snippet.json").read_text())
validator = jsonschema.Draft7Validator(schema)
for file in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    for error in validator.iter_errors(json.loads(file.read_text())):
        print(file.name, error.message)
`;
const hasElyra = requires(
  "python",
  canRun(),
  "pip install -r test/requirements.txt, pip install --no-deps -r test/requirements-no-deps.txt, both into .venv-test",
);

function canRun(): boolean {
  try {
    const words = ["-c", "import jsonschema, importlib.util as i; assert i.find_spec('elyra')"];
    execFileSync(python, words, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const readSnippet = (folder: string, file: string) => JSON.parse(readFileSync(join(folder, file), "utf8"));

describe("celrec export --elyra", () => {
  it("writes the hits of a search with their origin, and replaces the same files the next time", async () => {
    const folder = makeFolder({ "n/My Data.ipynb": ipynb(READ, FIT) });
    const [data, out] = [join(folder, "index"), join(folder, "out")];
    await celrec(["index", join(folder, "n"), "--data", data]);
    const words = ["export", "--elyra", out, "--search", "read csv", "--data", data];
    const file = `celrec-my-data-0-${cellId(READ).slice(0, 8)}.json`;
    const written = await celrec(words);
    expect([written.code, written.stdout, written.stderr]).toEqual([
      0,
      `${file}  My Data 0: df = pd.read_csv('a.csv')\n`,
      `1 snippets in ${out}\n`,
    ]);
    expect(readSnippet(out, file)).toEqual({
      display_name: "My Data 0: df = pd.read_csv('a.csv')",
      schema_name: "code-snippet",
      metadata: {
        description: `From ${folder}/n/My Data.ipynb, cell 0`,
        tags: ["celrec", "ingest_data", "validate_data"],
        language: "Python",
        code: READ.split("\n"),
      },
    });
    expect(JSON.parse((await celrec([...words, "--json"])).stdout).snippets).toEqual([
      { file, name: "My Data 0: df = pd.read_csv('a.csv')" },
    ]);
    expect(readdirSync(out)).toEqual([file]);
  });

  it("writes the hits for code, and the most frequent cells of a label", async () => {
    const folder = makeFolder({
      "n/a.ipynb": ipynb(READ, "other = SVC().fit(A, b)"),
      "n/b.ipynb": ipynb(FIT),
      "n/c.ipynb": ipynb(FIT),
    });
    const data = join(folder, "index");
    await celrec(["index", join(folder, "n"), "--data", data]);
    const names = async (...words: string[]) => {
      const out = join(makeFolder(), "out");
      await celrec(["export", "--elyra", out, ...words, "--data", data], { input: "df = pd.read_csv(" });
      return readdirSync(out).map((file) => readSnippet(out, file).display_name);
    };
    expect(await names("--label", "train_model", "-k", "1")).toEqual(["b 0: model = SVC()"]);
    expect((await names("--label", "train_model")).toSorted()).toEqual([
      "a 1: other = SVC().fit(A, b)",
      "b 0: model = SVC()",
    ]);
    expect(await names("--code", "-", "-k", "1")).toEqual(["a 0: df = pd.read_csv('a.csv')"]);
  });

  it("says which cells are missing, and which flags belong together", async () => {
    const folder = makeFolder({ "a.ipynb": ipynb(READ) });
    const data = join(folder, "index");
    await celrec(["index", folder, "--data", data]);
    const fails = async (...words: string[]) => {
      const { code, stderr } = await celrec(["export", join(folder, "out"), ...words, "--data", data]);
      return [code, stderr];
    };
    expect(await fails("--elyra")).toEqual([
      2,
      "celrec: Which cells? Give --search WORDS, --code FILE or --label LABEL.\n",
    ]);
    expect(await fails("--label", "train_model")).toEqual([2, "celrec: --search, --code and --label need --elyra.\n"]);
    expect(await fails("--elyra", "--search", "a", "--code", "b")).toEqual([
      2,
      "celrec: Give --search or --code, not both.\n",
    ]);
    expect((await fails("--elyra", "--label", "no_such"))[0]).toBe(2);
  });

  it("round-trips: the written snippets contain the same cells", async () => {
    const folder = makeFolder();
    const [first, out, second] = [join(folder, "one"), join(folder, "metadata/code-snippets"), join(folder, "two")];
    await celrec(["index", SAMPLES, "--data", first]);
    await celrec(["export", "--elyra", out, "--label", "visualize_data", "-k", "100", "--data", first]);
    const files = readdirSync(out);
    expect(files.length).toBeGreaterThan(50);
    expect((await celrec(["index", out, "--data", second])).stdout).toContain(`${files.length} notebooks`);
    const { store } = await openIndex(first);
    const codes = files.map((file) => readSnippet(out, file).metadata.code.join("\n"));
    const stored = await store.cells(codes.map(cellId));
    expect(stored.map(({ code }) => code)).toEqual(codes);
  });

  it.skipIf(!hasElyra)("writes files that match Elyra's schema", async () => {
    const folder = makeFolder();
    const [data, out] = [join(folder, "index"), join(folder, "out")];
    await celrec(["index", SAMPLES, "--data", data]);
    for (const label of ["setup_notebook", "train_model"])
      await celrec(["export", "--elyra", out, "--label", label, "-k", "100", "--data", data]);
    const files = readdirSync(out);
    expect(files.length).toBeGreaterThan(100);
    expect(files.filter((file) => !/^[a-z]([a-z0-9-]*[a-z0-9])?\.json$/.test(file))).toEqual([]);
    expect(execFileSync(python, ["-c", VALIDATE, out], { encoding: "utf8" })).toBe("");
  });
});
