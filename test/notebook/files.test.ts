import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { extractCells } from "../../src/cells/extract.js";
import { listNotebooks, readNotebookFile } from "../../src/notebook/files.js";
import { requires, sharedData } from "../require.js";

const NOTEBOOK = '{"nbformat": 4, "cells": [{"cell_type": "code", "source": "é = 1"}]}';
const PARSED = { notebook: { cells: [{ index: 0, type: "code", source: "é = 1" }] } };

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function makeFolder(files: Readonly<Record<string, string | Buffer>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "celrec-files-"));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

const names = (...paths: string[]) => listNotebooks(paths).map(({ name }) => name);

describe("listNotebooks", () => {
  it("names the notebooks of a folder by their paths below it, in order", () => {
    const folder = makeFolder({
      "b.ipynb": NOTEBOOK,
      "a/z.ipynb": NOTEBOOK,
      "a/deep/er/x.ipynb": NOTEBOOK,
      "B.ipynb": NOTEBOOK,
      "script.py": "# %%\na",
      "module.py": "a = 1",
      "a/__init__.py": "# %%\na",
      "README.md": "# %%",
    });
    expect(listNotebooks([folder])).toEqual(
      ["B.ipynb", "a/deep/er/x.ipynb", "a/z.ipynb", "b.ipynb", "script.py"].map((name) => ({
        name,
        path: join(folder, name),
      })),
    );
  });

  it("leaves out checkpoints, hidden folders, caches and packages", () => {
    const folder = makeFolder({
      "a.ipynb": NOTEBOOK,
      ".ipynb_checkpoints/a-checkpoint.ipynb": NOTEBOOK,
      "sub/.ipynb_checkpoints/b-checkpoint.ipynb": NOTEBOOK,
      ".git/c.ipynb": NOTEBOOK,
      "node_modules/p/d.ipynb": NOTEBOOK,
      "__pycache__/e.ipynb": NOTEBOOK,
    });
    expect(names(folder)).toEqual(["a.ipynb"]);
  });

  it("names a file that is given by itself by its last part, whatever its content", () => {
    const folder = makeFolder({ "sub/plain.py": "a = 1", "sub/n.txt": "x" });
    expect(names(join(folder, "sub/plain.py"), join(folder, "sub/n.txt"))).toEqual(["plain.py", "n.txt"]);
  });

  it("puts the folder before a name that is taken, and the whole path where that is taken too", () => {
    const folder = makeFolder({ "one/n/a.ipynb": NOTEBOOK, "two/n/a.ipynb": NOTEBOOK, "three/n/a.ipynb": NOTEBOOK });
    const roots = ["one/n", "two/n", "three/n"].map((root) => join(folder, root));
    expect(names(...roots)).toEqual(["a.ipynb", "n/a.ipynb", join(folder, "three/n/a.ipynb")]);
  });

  it("lists a file once, however often it is named", () => {
    const folder = makeFolder({ "sub/a.ipynb": NOTEBOOK });
    expect(names(folder, folder, join(folder, "sub"), join(folder, "sub/../sub/a.ipynb"))).toEqual(["sub/a.ipynb"]);
  });

  it("does not follow links inside a folder, so that a loop cannot hold it", () => {
    const folder = makeFolder({ "sub/a.ipynb": NOTEBOOK });
    symlinkSync(folder, join(folder, "sub/loop"));
    symlinkSync(join(folder, "sub/self"), join(folder, "sub/self"));
    expect(names(folder)).toEqual(["sub/a.ipynb"]);
  });

  it("follows a link that is named", () => {
    const folder = makeFolder({ "sub/a.ipynb": NOTEBOOK });
    symlinkSync(join(folder, "sub"), join(folder, "link"));
    expect(names(join(folder, "link"))).toEqual(["a.ipynb"]);
  });

  it("finds nothing in an empty folder", () => {
    expect(names(makeFolder())).toEqual([]);
  });

  it("names a path that is not there", () => {
    const missing = join(makeFolder(), "nowhere");
    expect(() => listNotebooks([missing])).toThrow(
      expect.objectContaining({
        code: "NOT_FOUND",
        message: `There is no file or folder ${missing}; check the path.`,
      }),
    );
  });

  it.skipIf(process.getuid?.() === 0)("names a folder that cannot be read", () => {
    const folder = makeFolder({ "a.ipynb": NOTEBOOK, "closed/b.ipynb": NOTEBOOK });
    chmodSync(join(folder, "closed"), 0);
    expect(() => listNotebooks([folder])).toThrow(
      expect.objectContaining({ code: "NOT_FOUND", message: expect.stringContaining(join(folder, "closed")) }),
    );
    chmodSync(join(folder, "closed"), 0o700);
  });
});

describe("readNotebookFile", () => {
  const read = (name: string, content: string | Buffer) =>
    readNotebookFile({ path: join(makeFolder({ [name]: content }), name), name });
  const bigEndian = (text: string) => Buffer.from(text, "utf16le").swap16();

  it.each<[string, string | Buffer]>([
    ["UTF-8", NOTEBOOK],
    ["UTF-8 with a byte order mark", `\uFEFF${NOTEBOOK}`],
    ["UTF-16 with a byte order mark, little endian", Buffer.from(`\uFEFF${NOTEBOOK}`, "utf16le")],
    ["UTF-16 with a byte order mark, big endian", bigEndian(`\uFEFF${NOTEBOOK}`)],
  ])("reads %s", (_, content) => {
    expect(read("a.ipynb", content)).toEqual(PARSED);
  });

  it("reads bytes that are not UTF-8 as replacement characters", () => {
    const content = Buffer.concat([
      Buffer.from('{"cells": [{"cell_type": "code", "source": "a'),
      Buffer.from([0xff, 0xc3]),
      Buffer.from('b"}]}'),
    ]);
    expect(read("a.ipynb", content)).toEqual({
      notebook: { cells: [{ index: 0, type: "code", source: "a\uFFFD\uFFFDb" }] },
    });
  });

  it.each<[string, string, string | Buffer, string]>([
    ["an empty file", "a.ipynb", "", "not-json"],
    ["a single byte", "a.ipynb", Buffer.from([0xff]), "not-json"],
    ["half of a UTF-16 character", "a.ipynb", Buffer.from([0xff, 0xfe, 0x7b]), "not-json"],
    ["binary data", "a.ipynb", Buffer.from(Array.from({ length: 4_096 }, (_, at) => (at * 37) % 256)), "not-json"],
    ["a plain script", "a.py", "a = 1", "plain-script"],
  ])("rejects %s", (_, name, content, kind) => {
    expect(read(name, content)).toEqual({ rejected: { kind, reason: expect.any(String) } });
  });

  it("reads a script in percent format", () => {
    expect(read("a.py", "# %%\na = 1\n")).toEqual({
      notebook: { cells: [{ index: 0, type: "code", source: "a = 1" }] },
    });
  });

  it("rejects a file over the limit without reading it", () => {
    const path = join(makeFolder({ "a.ipynb": "" }), "a.ipynb");
    truncateSync(path, 3 * 2 ** 30);
    expect(readNotebookFile({ path, name: "a.ipynb" })).toEqual({
      rejected: { kind: "too-large", reason: "3072 MB, over the limit of 256 MB" },
    });
  });

  it("rejects a file that has gone, and a folder", () => {
    const folder = makeFolder();
    const reason = (path: string) => {
      const parsed = readNotebookFile({ path, name: "a.ipynb" });
      return "rejected" in parsed && parsed.rejected.reason.slice(0, 23);
    };
    expect(reason(join(folder, "gone"))).toBe("cannot be read: ENOENT:");
    expect(reason(folder)).toBe("a folder, not a file");
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
  ])("%s has %i cells, %i of them code", (file, all, code) => {
    const parsed = readNotebookFile({ path: join(odd, `${file}.ipynb`), name: file });
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
  ])("%s is rejected as %s", (file, kind, reason) => {
    const parsed = readNotebookFile({ path: join(odd, `${file}.ipynb`), name: file });
    expect(parsed).toEqual({ rejected: { kind, reason: expect.stringMatching(reason) } });
  });

  it("are thirty", () => {
    expect(listNotebooks([odd]).length).toBe(30);
  });
});
