import { realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cellId, extractCells, notebookId, notebookVersion } from "../../src/notebook/extract.js";
import { readNotebook } from "../../src/notebook/parse-notebook.js";
import { celrec } from "../cli/celrec.js";
import { form, idOf, ipynb, type Loose, makeFolder, problemOf, startService, upload } from "./service.js";

const READ = 'df = pd.read_csv("a.csv")';
const FIT = "model.fit(X, y)";

const versionOf = (cells: readonly string[]) => {
  const parsed = readNotebook(ipynb(cells));
  return "notebook" in parsed ? notebookVersion(extractCells(parsed.notebook)) : null;
};

describe("POST /v1/notebooks", () => {
  it("stores one notebook and reports its cells", async () => {
    const service = await startService();
    const { status, body } = await upload(service, "a.ipynb", [READ, "# only a comment", FIT, READ]);
    expect(status).toBe(201);
    expect(body).toEqual({
      notebooks: [
        {
          id: idOf("a.ipynb"),
          source: "upload",
          name: "a.ipynb",
          cells: 3,
          new: 2,
          duplicate: 1,
          skipped: 1,
          replaced: false,
          labels: { ingest_data: 2, train_model: 1 },
          secrets: [],
        },
      ],
      rejected: [],
    });
  });

  it("answers 200 if the same content is already stored", async () => {
    const service = await startService();
    await upload(service, "a.ipynb", [READ]);
    const before = await service.stats();
    const { status, body } = await upload(service, "a.ipynb", [READ]);
    expect(status).toBe(200);
    expect(body.notebooks).toMatchObject([{ cells: 1, new: 0, duplicate: 1, replaced: false }]);
    expect(await service.stats()).toEqual(before);
  });

  it("rejects the second of two files with the same name in a form, and keeps the first", async () => {
    const service = await startService();
    const data = new FormData();
    const texts = ["{", JSON.stringify(ipynb(["password = 'correct-horse'"])), JSON.stringify(ipynb(["second()"]))];
    for (const text of texts) data.append("file", new Blob([text]), "a.ipynb");
    const { status, body } = await service.call("POST", "/v1/notebooks", data);
    expect(status).toBe(201);
    expect(body.notebooks.map(({ name, secrets }: Loose) => [name, secrets.length])).toEqual([["a.ipynb", 1]]);
    expect(body.rejected.map(({ name }: Loose) => name)).toEqual(["a.ipynb", "a.ipynb"]);
    expect(body.rejected[1].reason).toBe("the form contains another file with this name");
    const { cells } = (await service.call("GET", `/v1/notebooks/${idOf("a.ipynb")}`)).body;
    expect(cells.map(({ code }: Loose) => code)).toEqual(["password = 'correct-horse'"]);
  });

  it("replaces a notebook of the same name, and drops the cells that only the old one contained", async () => {
    const service = await startService();
    await upload(service, "a.ipynb", [READ, "only_here()"]);
    const { status, body } = await upload(service, "a.ipynb", [READ, FIT]);
    expect(status).toBe(201);
    expect(body.notebooks).toMatchObject([{ cells: 2, new: 1, duplicate: 1, replaced: true }]);
    expect(await service.stats()).toMatchObject({ cells: 2, notebooks: 1, occurrences: 2 });
    expect((await service.call("GET", `/v1/cells/${cellId("only_here()")}`)).status).toBe(404);
  });

  it("takes many in a form, and names those that it rejects", async () => {
    const service = await startService();
    const { status, body } = await service.call(
      "POST",
      "/v1/notebooks",
      form({
        "sub/a.ipynb": JSON.stringify(ipynb([READ])),
        "broken.ipynb": "{",
        "r.ipynb": JSON.stringify(ipynb(["x <- 1"], { kernelspec: { language: "R" } })),
        "script.py": `# %%\n${FIT}\n# %%\n${READ}\n`,
        "list.ipynb": "[]",
      }),
    );
    expect(status).toBe(201);
    expect(body.notebooks.map(({ name, cells, ...rest }: Loose) => [name, cells, rest.new])).toEqual([
      ["sub/a.ipynb", 1, 1],
      ["script.py", 2, 1],
    ]);
    expect(body.rejected.map(({ name }: { name: string }) => name)).toEqual(["broken.ipynb", "r.ipynb", "list.ipynb"]);
    expect(body.rejected[0].reason).toMatch(/^not JSON: /);
    expect(body.rejected[1]).toEqual({ name: "r.ipynb", reason: "a notebook in R, not Python" });
    expect(body.rejected[2].reason).toBe("JSON, but not a notebook: the top is a list, not an object");
  });

  it("answers 422 if all of a form is rejected, and points to each", async () => {
    const service = await startService();
    const answer = await service.call("POST", "/v1/notebooks", form({ "a/b.ipynb": "[]", "c.ipynb": "{" }));
    expect(problemOf(answer)).toMatchObject({
      status: 422,
      errors: [{ pointer: "/a~1b.ipynb" }, { pointer: "/c.ipynb" }],
    });
  });

  it("answers 400 to a form without files, and to an invalid form", async () => {
    const service = await startService();
    const text = new FormData();
    text.append("file", "not a file");
    expect(problemOf(await service.call("POST", "/v1/notebooks", text))).toEqual({
      status: 400,
      detail: "The form contains no file; send each notebook as a file.",
    });
    const broken = await service.call("POST", "/v1/notebooks", "--x", {
      "content-type": "multipart/form-data; boundary=x",
    });
    expect(problemOf(broken).status).toBe(400);
  });

  it("takes a notebook that starts with a byte order mark, as the reader of files does", async () => {
    const service = await startService();
    const { status, body } = await service.call(
      "POST",
      "/v1/notebooks?name=a.ipynb",
      `\ufeff${JSON.stringify(ipynb([READ]))}`,
      { "content-type": "application/x-ipynb+json" },
    );
    expect([status, body.notebooks?.[0].cells]).toEqual([201, 1]);
  });

  it("stores an empty notebook", async () => {
    const service = await startService();
    const { status, body } = await upload(service, "empty.ipynb", []);
    expect([status, body.notebooks[0].cells]).toEqual([201, 0]);
    expect(await service.stats()).toMatchObject({ cells: 0, notebooks: 1 });
  });
});

describe("GET /v1/notebooks", () => {
  it("lists notebooks by id, a page at a time", async () => {
    const service = await startService();
    const names = ["a", "b", "c", "d", "e"];
    for (const name of names) await upload(service, name, [READ, "#"]);
    const expected = names
      .map((name) => ({ id: idOf(name), source: "upload", name, cells: 1, skipped: 1 }))
      .sort((one, other) => (one.id < other.id ? -1 : 1));
    const first = await service.call("GET", "/v1/notebooks?limit=2");
    expect(first.body).toEqual({ notebooks: expected.slice(0, 2), cursor: expected[1]!.id });
    const second = await service.call("GET", `/v1/notebooks?limit=3&cursor=${first.body.cursor}`);
    expect(second.body.notebooks).toEqual(expected.slice(2));
    const third = await service.call("GET", `/v1/notebooks?cursor=${second.body.cursor}`);
    expect(third.body).toEqual({ notebooks: [], cursor: null });
    expect((await service.call("GET", "/v1/notebooks")).body).toEqual({ notebooks: expected, cursor: null });
  });

  it.each([
    ["limit=0", "/limit"],
    ["limit=1001", "/limit"],
    ["limit=-1", "/limit"],
    ["limit=x", "/limit"],
    ["cursor=zz", "/cursor"],
    ["page=2", "/page"],
  ])("answers 400 to ?%s", async (query, pointer) => {
    const service = await startService();
    const { status, errors } = problemOf(await service.call("GET", `/v1/notebooks?${query}`));
    expect([status, errors]).toMatchObject([400, [{ pointer }]]);
  });
});

describe("GET /v1/notebooks/{id}", () => {
  it("gives a notebook with its cells and their labels", async () => {
    const service = await startService();
    await upload(service, "a.ipynb", [READ, "# nothing", `${FIT}\r\n`]);
    const { status, body } = await service.call("GET", `/v1/notebooks/${idOf("a.ipynb")}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: idOf("a.ipynb"),
      source: "upload",
      name: "a.ipynb",
      version: versionOf([READ, "# nothing", FIT]),
      skipped: 1,
      cells: [
        { cellIndex: 0, id: cellId(READ), code: READ, labels: ["ingest_data"], primary: "ingest_data" },
        { cellIndex: 2, id: cellId(FIT), code: FIT, labels: ["train_model"], primary: "train_model" },
      ],
    });
  });

  it("leaves out a cell that was deleted between two reads", async () => {
    const service = await startService({}, ({ store }) => ({
      store: { ...store, cells: async (ids) => (await store.cells(ids)).slice(1) },
    }));
    await upload(service, "a.ipynb", [READ, FIT]);
    const { status, body } = await service.call("GET", `/v1/notebooks/${idOf("a.ipynb")}`);
    expect([status, body.cells?.length]).toEqual([200, 1]);
  });

  it("answers 404 for an unknown id, and 400 for an invalid one", async () => {
    const service = await startService();
    const unknown = problemOf(await service.call("GET", `/v1/notebooks/${idOf("x")}`));
    expect(unknown).toEqual({
      status: 404,
      detail: `There is no notebook ${idOf("x")}; GET /v1/notebooks lists them.`,
    });
    expect(problemOf(await service.call("GET", "/v1/notebooks/zz"))).toMatchObject({
      status: 400,
      errors: [{ pointer: "/id", message: 'must be 64 hexadecimal digits, not "zz"' }],
    });
    expect(problemOf(await service.call("GET", "/v1/notebooks/%E0%A4%A")).status).toBe(400);
  });
});

describe("GET /v1/notebooks/{id}/markdown", () => {
  const write = (file: string, code: string) => {
    const cells = [
      { cell_type: "markdown", metadata: {}, source: "# Fit" },
      { cell_type: "code", metadata: {}, execution_count: null, outputs: [], source: code },
    ];
    writeFileSync(file, JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells }));
  };

  it("reads it from the file, as long as the code is that of the index", async () => {
    const [folder, data] = [makeFolder(), makeFolder()];
    const file = join(realpathSync(folder), "a.ipynb");
    write(file, "model.fit(X, y)");
    await celrec(["index", folder, "--data", data]);
    const path = `/v1/notebooks/${notebookId("a.ipynb", realpathSync(folder))}/markdown`;
    const service = await startService({ CELREC_DATA: data });
    const read = async (at: string) => (await service.call("GET", at)).body;
    expect(await read(path)).toEqual({ cells: [{ cellIndex: 0, text: "# Fit" }] });
    write(file, "changed = 1");
    expect(await read(path)).toEqual({ cells: [] });
    await upload(service, "b.ipynb", ["x = 1"]);
    expect(await read(`/v1/notebooks/${idOf("b.ipynb")}/markdown`)).toEqual({ cells: [] });
    expect((await read(`/v1/notebooks/${idOf("x")}/markdown`)).status).toBe(404);
  });

  it("shows no file if secrets are masked, because only code was checked", async () => {
    const [folder, data] = [makeFolder(), makeFolder()];
    write(join(folder, "a.ipynb"), "model.fit(X, y)");
    await celrec(["index", folder, "--data", data]);
    const service = await startService({ CELREC_DATA: data, CELREC_SECRETS: "mask" });
    const path = `/v1/notebooks/${notebookId("a.ipynb", realpathSync(folder))}/markdown`;
    expect((await service.call("GET", path)).body).toEqual({ cells: [] });
  });
});

describe("DELETE /v1/notebooks/{id}", () => {
  it("removes the notebook and the cells that only it contains", async () => {
    const service = await startService();
    await upload(service, "a", [READ, FIT]);
    await upload(service, "b", [READ]);
    const { status, body } = await service.call("DELETE", `/v1/notebooks/${idOf("a")}`);
    expect([status, body]).toEqual([204, ""]);
    expect(await service.stats()).toMatchObject({ cells: 1, notebooks: 1, occurrences: 1 });
    expect((await service.call("GET", `/v1/cells/${cellId(FIT)}`)).status).toBe(404);
    expect((await service.call("GET", `/v1/cells/${cellId(READ)}`)).body.occurrences).toEqual([
      { notebook: { id: idOf("b"), source: "upload", name: "b" }, cellIndex: 0 },
    ]);
    expect((await service.call("DELETE", `/v1/notebooks/${idOf("a")}`)).status).toBe(404);
  });
});
