import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createUniqueNames, type ReadEntry, readNotebooks } from "../../../src/notebook/corpus/open-paths.js";
import { extractCells } from "../../../src/notebook/extract.js";
import { requires, sharedData } from "../../require.js";

const NOTEBOOK = '{"nbformat": 4, "cells": [{"cell_type": "code", "source": "é = 1"}]}';
const PARSED = { notebook: { cells: [{ index: 0, type: "code", source: "é = 1" }] } };

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function makeFolder(files: Readonly<Record<string, string | Buffer>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "celrec-files-")));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

async function collect(...paths: string[]): Promise<ReadEntry[]> {
  const found: ReadEntry[] = [];
  for await (const entry of readNotebooks(paths)) found.push(entry);
  return found;
}

/** Displayed names of the notebooks. */
const names = async (...paths: string[]) => (await collect(...paths)).map(createUniqueNames());

const readFile = async (path: string) => (await collect(path))[0]!.parsed;

describe("the notebooks of a corpus, read", () => {
  it("are read in the order of their paths below a folder, with their location", async () => {
    const folder = makeFolder({
      "b.ipynb": NOTEBOOK,
      "a/z.ipynb": NOTEBOOK,
      "script.py": "# %%\na",
      "module.py": "a = 1",
      "README.md": "# %%",
    });
    const found = await collect(folder);
    expect(found.map(({ source, path, location }) => [source, path, location])).toEqual(
      ["a/z.ipynb", "b.ipynb", "script.py"].map((path) => [folder, path, join(folder, path)]),
    );
    expect(found[0]!.parsed).toEqual(PARSED);
    expect(await collect()).toEqual([]);
  });

  it("have distinct names, and appear once even if named several times", async () => {
    const folder = makeFolder({ "one/n/a.ipynb": NOTEBOOK, "two/n/a.ipynb": NOTEBOOK, "three/n/a.ipynb": NOTEBOOK });
    const roots = ["one/n", "two/n", "three/n"].map((root) => join(folder, root));
    expect(await names(...roots)).toEqual(["a.ipynb", "n/a.ipynb", join(folder, "three/n/a.ipynb")]);
    expect(await names(roots[0]!, roots[0]!, join(roots[0]!, "a.ipynb"))).toEqual(["a.ipynb"]);
  });

  it("include a plain script only if it is named", async () => {
    const folder = makeFolder({ "sub/plain.py": "a = 1" });
    expect(await names(folder)).toEqual([]);
    expect(await collect(join(folder, "sub/plain.py"))).toMatchObject([
      { path: "plain.py", parsed: { rejected: { kind: "plain-script" } } },
    ]);
  });

  it("are an error if a path does not exist", async () => {
    await expect(collect(join(makeFolder(), "nowhere"))).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("a notebook in a file", () => {
  const read = (name: string, content: string | Buffer) => readFile(join(makeFolder({ [name]: content }), name));
  const bigEndian = (text: string) => Buffer.from(text, "utf16le").swap16();

  it.each<[string, string | Buffer]>([
    ["UTF-8", NOTEBOOK],
    ["UTF-8 with a byte order mark", `\uFEFF${NOTEBOOK}`],
    ["UTF-16 with a byte order mark, little endian", Buffer.from(`\uFEFF${NOTEBOOK}`, "utf16le")],
    ["UTF-16 with a byte order mark, big endian", bigEndian(`\uFEFF${NOTEBOOK}`)],
  ])("reads %s", async (_, content) => {
    expect(await read("a.ipynb", content)).toEqual(PARSED);
  });

  it("reads bytes that are not UTF-8 as replacement characters", async () => {
    const content = Buffer.concat([
      Buffer.from('{"cells": [{"cell_type": "code", "source": "a'),
      Buffer.from([0xff, 0xc3]),
      Buffer.from('b"}]}'),
    ]);
    expect(await read("a.ipynb", content)).toEqual({
      notebook: { cells: [{ index: 0, type: "code", source: "a\uFFFD\uFFFDb" }] },
    });
  });

  it.each<[string, string, string | Buffer, string]>([
    ["an empty file", "a.ipynb", "", "not-json"],
    ["a single byte", "a.ipynb", Buffer.from([0xff]), "not-json"],
    ["half of a UTF-16 character", "a.ipynb", Buffer.from([0xff, 0xfe, 0x7b]), "not-json"],
    ["binary data", "a.ipynb", Buffer.from(Array.from({ length: 4_096 }, (_, at) => (at * 37) % 256)), "not-json"],
    ["a plain script", "a.py", "a = 1", "plain-script"],
  ])("rejects %s", async (_, name, content, kind) => {
    expect(await read(name, content)).toEqual({ rejected: { kind, reason: expect.any(String) } });
  });

  it("reads a script in percent format", async () => {
    expect(await read("a.py", "# %%\na = 1\n")).toEqual({
      notebook: { cells: [{ index: 0, type: "code", source: "a = 1" }] },
    });
  });

  it("rejects a file over the limit without reading it", async () => {
    const path = join(makeFolder({ "a.ipynb": "" }), "a.ipynb");
    truncateSync(path, 3 * 2 ** 30);
    expect(await readFile(path)).toEqual({
      rejected: { kind: "too-large", reason: "3072 MB, over the limit of 256 MB" },
    });
  });

  it("is rejected if it was deleted meanwhile", async () => {
    const folder = makeFolder({ "a.ipynb": NOTEBOOK, "b.ipynb": NOTEBOOK });
    const entries = readNotebooks([folder]);
    await entries.next();
    rmSync(join(folder, "b.ipynb"));
    const { value } = await entries.next();
    expect(value).toMatchObject({ path: "b.ipynb", parsed: { rejected: { kind: "unreadable" } } });
  });
});

const hasShared = requires("shared", existsSync(sharedData), `notebooks in ${resolve(sharedData)}`);

describe.skipIf(!hasShared)("the odd notebooks", () => {
  const odd = join(sharedData, "odd");

  it.each<[string, number, number]>([
    ["U-2028__m1guelperez-jupylab_cli__rolandmueller_python-intro", 85, 73],
    ["assign-bang__ipython-ipython-in-depth__mynotebook", 4, 3],
    ["assign-magic__nbQA-dev-nbQA__env_var", 1, 1],
    ["cellmagic---R__mwouts-jupytext__chunk_options", 5, 3],
    ["cellmagic---bigquery__m1guelperez-jupylab_cli__rtatman_bigquery-machine-learning-exercise", 29, 10],
    ["cellmagic---perl__ipython-ipython-in-depth__Beyond-Plain-Python", 81, 45],
    ["cellmagic---writefile__ipython-ipython-in-depth__Terminal-Usage", 20, 8],
    ["duplicate-cell-ids__jupyter-nbformat__invalid_unique_cell_id", 2, 2],
    ["help-query__INRIA-scikit-learn-mooc__02_numerical_pipeline_ex_00", 15, 7],
    ["huge-cell__WillKoehrsen-Data-Analysis__Weighter-Development", 17, 10],
    ["lang-plaintext__Azure-azureml-examples__main", 3, 3],
    ["long-line__huggingface-notebooks__summarization-tf", 83, 36],
    ["nbformat-3__donnemartin-data-science-ipython-notebooks__scikit-learn", 8, 7],
    ["nbformat-3__jupyter-nbformat__test3_worksheet_with_no_cells", 0, 0],
    ["nbsp__fchollet-deep-learning-with-python-notebooks__chapter14_conclusions", 51, 9],
    ["no-cells-key__jupyter-nbformat__test3_no_worksheets", 0, 0],
    ["no-metadata__jupyter-nbformat__test3_no_metadata", 9, 4],
    ["no-nbformat_minor__jupyter-nbformat__no_min_version", 1, 1],
    ["non-latin-code__m1guelperez-jupylab_cli__ronglin_calculation-of-hurst-in-quant", 1, 1],
    ["odd-minor__jupyter-nbformat__test4plus", 11, 5],
    ["source-string__m1guelperez-jupylab_cli__roryjd_kernel65d609912b", 2, 2],
    ["top-level-await__tensorflow-docs__spice", 50, 27],
    ["zero-cells__dipanjanS-text-analytics-with-python__Untitled2", 0, 0],
    ["zero-cells__ipython-ipython-in-depth__Custom-Widget---Spreadsheet", 0, 0],
  ])("%s has %i cells, %i of them code", async (file, all, code) => {
    const parsed = await readFile(join(odd, `${file}.ipynb`));
    expect("notebook" in parsed && [parsed.notebook.cells.length, extractCells(parsed.notebook).length]).toEqual([
      all,
      code,
    ]);
  });

  it.each<[string, string, RegExp]>([
    ["empty-file__m1guelperez-jupylab_cli__ronnie3rg_kernel24dedac24e", "not-json", /^the file is empty$/],
    [
      "invalid-json__m1guelperez-jupylab_cli__royurbach_doodling-l5pc-model-and-cats-vs-dogs",
      "not-json",
      /^not JSON: /,
    ],
    ["lang-bash__mwouts-jupytext__sample_bash_notebook", "not-python", /^a notebook in bash, not Python$/],
    ["lang-c--__mwouts-jupytext__root_cpp", "not-python", /^a notebook in c\+\+, not Python$/],
    ["lang-julia__Jun-jie-Huang-ExeDS__notebook_jl", "not-python", /^a notebook in julia, not Python$/],
    ["tabs__mwouts-jupytext__logtalk_notebook", "not-python", /^a notebook in logtalk, not Python$/],
  ])("%s is rejected as %s", async (file, kind, reason) => {
    const parsed = await readFile(join(odd, `${file}.ipynb`));
    expect(parsed).toEqual({ rejected: { kind, reason: expect.stringMatching(reason) } });
  });

  it("are thirty", async () => {
    expect((await collect(odd)).length).toBe(30);
  });
});
