import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DATA_NOTICE, quoteName } from "../../src/mcp/show-cells.js";
import { notebookId } from "../../src/notebook/extract.js";
import { connectProgram } from "../mcp/agent.js";
import { celrec, ipynb, makeFolder, type Running, start } from "./celrec.js";

const READ = "df = pd.read_csv('a.csv')";
const FIT = "model = RandomForestClassifier(n_estimators=200)\nmodel.fit(X, y)";
const urlOf = async (running: Running) => (await running.until(/on (http:\S+)\n[\s\S]*Ctrl-C\.\n/))[1]!;
const serve = (data: string, env: Record<string, string> = {}) =>
  start(["serve", "--port", "0", "--data", data], { env });

describe("celrec mcp", () => {
  it("indexes files with progress, creates the index, and answers from it", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb(READ, FIT), "n/b.py": "# %%\nzebra = 1\n", "n/c.ipynb": "no" });
    const data = join(folder, "index");
    const agent = await connectProgram(["--data", data]);
    expect(await agent.call("index_status")).toMatchObject({
      isError: true,
      text: `There is no index in ${data} yet: call \`index_notebooks\` with \`paths\`, a folder of the user's notebooks. Without that tool, ask the user to run celrec index FOLDER --data ${data}.`,
    });
    const seen: number[] = [];
    const notebooks = join(folder, "n");
    const indexed = await agent.client.callTool(
      { name: "index_notebooks", arguments: { paths: [notebooks] } },
      undefined,
      { onprogress: ({ progress }) => seen.push(progress) },
    );
    expect((indexed.content as { text: string }[])[0]!.text).toBe(
      `2 notebooks indexed (0 unchanged, 0 replaced), 3 cells: 3 new, 0 duplicate, 0 skipped.\n1 file rejected. ${DATA_NOTICE}\n\`\`\`text\n"c.ipynb": not JSON\n\`\`\``,
    );
    expect(seen.at(-1)).toBe(3);
    expect((await agent.call("index_notebooks", { paths: [notebooks] })).text).toContain(
      "2 notebooks indexed (2 unchanged, 0 replaced), 3 cells: 0 new",
    );
    const { text } = await agent.call("search_cells", { text: "random forest" });
    const id = notebookId("a.ipynb", notebooks).slice(0, 10);
    expect(text).toContain(`1. ${id}/1; train_model\n\`\`\`python\n# ${quoteName(`${notebooks}/a.ipynb`)}\n${FIT}`);
    expect(await agent.read(`celrec://notebook/${id}`)).toContain(FIT);
    expect((await agent.call("index_status")).text).toMatch(
      `The index in ${data}: 2 notebooks, 3 cells (embedder lexical-1-512, store embedded).`,
    );
  });

  it("creates the index for uploaded notebooks, too", async () => {
    const agent = await connectProgram(["--data", join(makeFolder(), "index")]);
    const sent = await agent.call("index_notebooks", { notebooks: [{ name: "s.ipynb", content: ipynb(FIT) }] });
    expect(sent.text).toBe("1 notebooks indexed (0 replaced), 1 cells: 1 new, 0 duplicate, 0 skipped.");
    const found = await agent.call("search_cells", { text: "random forest" });
    expect(found.text).toContain(`1. ${notebookId("s.ipynb", "upload").slice(0, 10)}/0; `);
  });

  it("reads named files, and excludes the file itself from the result", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb(READ, FIT), "n/b.ipynb": ipynb(READ, FIT, "zebra = 1") });
    await celrec(["index", join(folder, "n"), "--data", join(folder, "index")]);
    const agent = await connectProgram(["--data", join(folder, "index")]);
    const path = join(folder, "n/a.ipynb");
    const similar = await agent.call("similar_notebooks", { path });
    expect(similar.text.match(/[ab]\.ipynb/g)).toEqual(["b.ipynb"]);
    const labels = await agent.call("label_cells", { path });
    expect(labels.text).toMatch(/^cell 0: [^\n]*\ncell 1: [^\n]*$/);
    expect(await agent.call("label_cells", { path: join(folder, "none.ipynb") })).toMatchObject({ isError: true });
    expect(await agent.call("label_cells", { path, cells: ["x"] })).toMatchObject({
      isError: true,
      text: "Give exactly one of cells, path.",
    });
  });

  it("opens no other files, and does not quote a file that is not a notebook", async () => {
    const secret = "root:hunter2:0:0";
    const folder = makeFolder({
      passwords: secret,
      "p.txt": secret,
      "p.ipynb": secret,
      "p.py": secret,
      "p.jsonl": `${JSON.stringify(secret)}\n{"path": {"${secret}": 1}}\n${secret}\n`,
      "r.ipynb": JSON.stringify({ nbformat: 4, metadata: { kernelspec: { language: secret } }, cells: [] }),
    });
    const agent = await connectProgram(["--data", join(folder, "index")]);
    const answers: string[] = [];
    for (const name of ["passwords", "p.txt", "p.ipynb", "p.py", "p.jsonl", "r.ipynb"])
      for (const [tool, input] of [
        ["label_cells", { path: join(folder, name) }],
        ["similar_notebooks", { path: join(folder, name) }],
        ["index_notebooks", { paths: [join(folder, name)] }],
      ] as const)
        answers.push((await agent.call(tool, input)).text);
    expect(answers.filter((text) => /hunter2|root:/.test(text))).toEqual([]);
    expect(answers.slice(0, 3)).toEqual([
      `${join(folder, "passwords")} was not opened: only .ipynb and .py files are.`,
      `${join(folder, "passwords")} was not opened: only .ipynb and .py files are.`,
      `${join(folder, "passwords")} was not opened: only folders, .ipynb, .py, .zip, .tar.gz and .jsonl are.`,
    ]);
    expect(answers[6]).toBe(`${join(folder, "p.ipynb")} was rejected: not JSON`);
    const none = join(folder, "none.ipynb");
    expect((await agent.call("label_cells", { path: none })).text).toBe(`There is no file ${none}; check the path.`);
  });

  it("forgets notebooks by id, name or source, and nothing if one name is wrong", async () => {
    const folder = makeFolder({
      "n/a.ipynb": ipynb("zebra = 1"),
      "n/b.ipynb": ipynb("okapi = 1"),
      "m/a.ipynb": ipynb("gnu = 1"),
    });
    const data = join(folder, "index");
    await celrec(["index", join(folder, "n"), join(folder, "m"), "--data", data]);
    const agent = await connectProgram(["--data", data]);
    const forget = async (input: object) => (await agent.call("forget_notebooks", input)).text;
    expect(await forget({ notebooks: ["b.ipynb", "none.ipynb"] })).toBe(
      '"none.ipynb" is not in the index; nothing was removed.',
    );
    expect(await forget({ notebooks: ["a.ipynb"] })).toMatch(
      /^"a\.ipynb" is in 2 sources; nothing was removed\. Choose by id: [\da-f]{10}, [\da-f]{10}\.$/,
    );
    expect(await forget({ source: "none" })).toBe('There is no source "none"; index_status lists them.');
    expect(await forget({})).toBe("Give exactly one of notebooks, source.");
    expect(await forget({ notebooks: [join(folder, "n/a.ipynb")] })).toBe("1 notebook removed from the index.");
    const id = notebookId("b.ipynb", join(folder, "n")).slice(0, 10);
    expect(await forget({ notebooks: [id, "b.ipynb"] })).toBe("1 notebook removed from the index.");
    expect((await agent.call("search_cells", { text: "okapi" })).text).toMatch(/^No indexed cell has these words\./);
    expect(await forget({ source: join(folder, "m") })).toBe("1 notebook removed from the index.");
    expect((await agent.call("search_cells", { text: "gnu" })).text).toMatch(
      /^The index is empty: call `index_notebooks` with `paths`/,
    );
  });

  it("asks the service of the index while it runs, and the index itself otherwise", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb(READ, FIT), "m/b.ipynb": ipynb("zebra = 1") });
    const data = join(folder, "index");
    await celrec(["index", join(folder, "n"), "--data", data]);
    const agent = await connectProgram(["--data", data]);
    const place = async () =>
      /^The (?:service at|index in) .*?(?=: \d+ notebooks)/.exec((await agent.call("index_status")).text)?.[0];
    expect(await place()).toBe(`The index in ${data}`);

    const first = serve(data);
    const url = await urlOf(first);
    expect(JSON.parse(readFileSync(join(data, "service.json"), "utf8"))).toEqual({ pid: first.child.pid, url });
    expect(await place()).toBe(`The service at ${url}`);
    // The service finds notebooks that another process indexed.
    expect((await agent.call("index_notebooks", { paths: [join(folder, "m")] })).text).toContain(" 1 new, ");
    const names = async () => (await agent.call("search_cells", { text: "zebra" })).text.match(/\w+\.ipynb/g);
    await expect.poll(names, { timeout: 20_000 }).toEqual(["b.ipynb"]);
    const content = ipynb("okapi = 1");
    const sent = await agent.call("index_notebooks", { notebooks: [{ name: "sent.ipynb", content }] });
    expect(sent.text).toContain(" 1 new, ");
    // The service removes the notebook, too.
    const forgotten = await agent.call("forget_notebooks", { notebooks: ["sent.ipynb"] });
    expect(forgotten.text).toBe("1 notebook removed from the index.");
    const gone = await agent.call("forget_notebooks", { source: join(folder, "m") });
    expect(gone.text).toBe("1 notebook removed from the index.");
    await expect.poll(names, { timeout: 20_000 }).toBe(null);

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

  it("opens the index itself if the service wants a token that it does not have", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb(READ) });
    const data = join(folder, "index");
    await celrec(["index", join(folder, "n"), "--data", data]);
    const token = "a-token-of-this-test";
    const url = await urlOf(serve(data, { CELREC_TOKEN: token }));
    const place = async (env: Record<string, string>) =>
      (await (await connectProgram(["--data", data], env)).call("index_status")).text;
    expect(await place({ CELREC_TOKEN: token })).toContain(`The service at ${url}: 1 notebooks`);
    expect(await place({})).toContain(`The index in ${data}: 1 notebooks`);
  });

  it("asks a remote service, and sends it the files", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb(READ, FIT), "n/bad.ipynb": "{}", "n/plain.py": "x = 1\n" });
    const url = await urlOf(serve(join(folder, "index"), { CELREC_TOKEN: "a-token-of-this-test" }));
    const agent = await connectProgram(["--url", url], { CELREC_TOKEN: "a-token-of-this-test" });
    const { text } = await agent.call("index_notebooks", { paths: [join(folder, "n")], source: "mine" });
    expect(text).toMatch(
      /^1 notebooks indexed \(0 replaced\), 2 cells: 2 new, 0 duplicate, 0 skipped\.\n1 file rejected\. [^\n]*\n```text\n"bad\.ipynb": not a notebook\n```$/,
    );
    const found = await agent.call("recommend_cells", { code: "model.fit(", mode: "similar", k: 1 });
    expect(found.text).toContain('# "mine/a.ipynb"\n');
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
    expect(tools.map(({ name }) => name).filter((name) => /index_n|forget/.test(name))).toEqual([]);
    expect(tools.length).toBe(7);
    const running = start(["mcp", "--data", join(makeFolder(), "index")]);
    running.child.stdin!.end();
    expect(await running.ended).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });
});
