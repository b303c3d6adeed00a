import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { notebookId } from "../../src/notebook/extract.js";
import { connectProgram } from "../mcp/agent.js";
import { celrec, ipynb, makeFolder, type Running, start } from "./celrec.js";

const READ = "df = pd.read_csv('a.csv')";
const FIT = "model = RandomForestClassifier(n_estimators=200)\nmodel.fit(X, y)";
const urlOf = async (running: Running) => (await running.until(/on (http:\S+)\n[\s\S]*Ctrl-C\.\n/))[1]!;
const serve = (data: string, env: Record<string, string> = {}) =>
  start(["serve", "--port", "0", "--data", data], { env });

describe("celrec mcp", () => {
  it("indexes files with progress and answers from the index, which the first of them makes", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb(READ, FIT), "n/b.py": "# %%\nzebra = 1\n", "n/c.ipynb": "no" });
    const data = join(folder, "index");
    const agent = await connectProgram(["--data", data]);
    expect(await agent.call("index_status")).toMatchObject({
      isError: true,
      text: `There is no index in ${data}. Is the folder right? celrec index makes one.`,
    });
    const seen: number[] = [];
    const notebooks = join(folder, "n");
    const indexed = await agent.client.callTool(
      { name: "index_notebooks", arguments: { paths: [notebooks] } },
      undefined,
      { onprogress: ({ progress }) => seen.push(progress) },
    );
    expect(indexed.structuredContent).toMatchObject({
      notebooks: 2,
      unchanged: 0,
      cells: 3,
      new: 3,
      rejected: 1,
      reasons: [{ name: "c.ipynb" }],
    });
    expect(seen.at(-1)).toBe(3);
    expect((await agent.call("index_notebooks", { paths: [notebooks] })).structured).toMatchObject({
      unchanged: 2,
      new: 0,
    });
    const { text, structured } = await agent.call("search_cells", { text: "random forest" });
    expect(structured.cells[0].notebook).toMatchObject({ source: notebooks, name: "a.ipynb", cellIndex: 1 });
    expect(text).toContain(`1. "${notebooks}/a.ipynb" cell 1; `);
    const id = notebookId("a.ipynb", notebooks);
    expect(await agent.read(`celrec://notebook/${id}`)).toContain(FIT);
    expect((await agent.call("index_status")).text).toMatch(`The index in ${data}: 2 notebooks, 3 cells.`);
  });

  it("makes the index for notebooks that are sent, too", async () => {
    const agent = await connectProgram(["--data", join(makeFolder(), "index")]);
    const sent = await agent.call("index_notebooks", { notebooks: [{ name: "s.ipynb", content: ipynb(FIT) }] });
    expect(sent.structured).toMatchObject({ notebooks: 1, cells: 1, new: 1, rejected: 0 });
    const found = await agent.call("search_cells", { text: "random forest" });
    expect(found.structured.cells[0].notebook).toMatchObject({ source: "upload", name: "s.ipynb", cellIndex: 0 });
  });

  it("reads files that are named, and leaves the file itself out of what is like it", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb(READ, FIT), "n/b.ipynb": ipynb(READ, FIT, "zebra = 1") });
    await celrec(["index", join(folder, "n"), "--data", join(folder, "index")]);
    const agent = await connectProgram(["--data", join(folder, "index")]);
    const path = join(folder, "n/a.ipynb");
    const similar = await agent.call("similar_notebooks", { path });
    expect(similar.structured.notebooks.map(({ name }: { name: string }) => name)).toEqual(["b.ipynb"]);
    const labels = await agent.call("label_cells", { path });
    expect(labels.structured.cells.map(({ index }: { index: number }) => index)).toEqual([0, 1]);
    expect(await agent.call("label_cells", { path: join(folder, "none.ipynb") })).toMatchObject({ isError: true });
    expect(await agent.call("label_cells", { path, cells: ["x"] })).toMatchObject({
      isError: true,
      text: "Give exactly one of cells, path.",
    });
  });

  it("asks the service of the index while there is one, and the index before and after", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb(READ, FIT), "m/b.ipynb": ipynb("zebra = 1") });
    const data = join(folder, "index");
    await celrec(["index", join(folder, "n"), "--data", data]);
    const agent = await connectProgram(["--data", data]);
    const place = async () => (await agent.call("index_status")).structured.place;
    expect(await place()).toBe(`The index in ${data}`);

    const first = serve(data);
    const url = await urlOf(first);
    expect(JSON.parse(readFileSync(join(data, "service.json"), "utf8"))).toEqual({ pid: first.child.pid, url });
    expect(await place()).toBe(`The service at ${url}`);
    // What is indexed beside the service is found through it.
    expect((await agent.call("index_notebooks", { paths: [join(folder, "m")] })).structured.new).toBe(1);
    const names = async () =>
      (await agent.call("search_cells", { text: "zebra" })).structured.cells.map(
        ({ notebook }: { notebook: { name: string } }) => notebook.name,
      );
    await expect.poll(names, { timeout: 20_000 }).toEqual(["b.ipynb"]);
    const content = ipynb("okapi = 1");
    expect((await agent.call("index_notebooks", { notebooks: [{ name: "sent.ipynb", content }] })).structured.new).toBe(
      1,
    );

    first.child.kill("SIGKILL");
    await first.ended;
    expect(await place()).toBe(`The index in ${data}`);
    const again = serve(data);
    const next = await urlOf(again);
    expect(await place()).toBe(`The service at ${next}`);
    again.child.kill("SIGTERM");
    await again.ended;
    expect(await place()).toBe(`The index in ${data}`);
  });

  it("opens the index itself where the service wants a token that it does not have", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb(READ) });
    const data = join(folder, "index");
    await celrec(["index", join(folder, "n"), "--data", data]);
    const token = "a-token-of-this-test";
    const url = await urlOf(serve(data, { CELREC_TOKEN: token }));
    const place = async (env: Record<string, string>) =>
      (await (await connectProgram(["--data", data], env)).call("index_status")).structured.place;
    expect(await place({ CELREC_TOKEN: token })).toBe(`The service at ${url}`);
    expect(await place({})).toBe(`The index in ${data}`);
  });

  it("asks a service elsewhere, and sends it the files", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb(READ, FIT), "n/bad.ipynb": "{}", "n/plain.py": "x = 1\n" });
    const url = await urlOf(serve(join(folder, "index"), { CELREC_TOKEN: "a-token-of-this-test" }));
    const agent = await connectProgram(["--url", url], { CELREC_TOKEN: "a-token-of-this-test" });
    const { structured } = await agent.call("index_notebooks", { paths: [join(folder, "n")], source: "mine" });
    expect(structured).toMatchObject({ notebooks: 1, cells: 2, new: 2, rejected: 1, reasons: [{ name: "bad.ipynb" }] });
    const found = await agent.call("recommend_cells", { code: "model.fit(", mode: "similar", k: 1 });
    expect(found.structured.cells[0].notebook).toMatchObject({ source: "mine", name: "a.ipynb" });
    const stranger = await connectProgram(["--url", url], { CELREC_TOKEN: "another-token-of-16" }).catch(
      (error) => error,
    );
    expect(String(stranger)).toContain("The token is missing or wrong");
    const nobody = await connectProgram(["--url", "http://127.0.0.1:9"]).catch((error) => error);
    expect(String(nobody)).toContain("The service at http://127.0.0.1:9 does not answer; is it running?");
  });

  it("leaves out the tool that writes with --read-only, and ends when its input does", async () => {
    const agent = await connectProgram(["--data", join(makeFolder(), "index"), "--read-only"]);
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain("index_notebooks");
    expect(tools.length).toBe(6);
    const running = start(["mcp", "--data", join(makeFolder(), "index")]);
    running.child.stdin!.end();
    expect(await running.ended).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });
});
