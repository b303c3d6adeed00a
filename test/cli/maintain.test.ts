import { existsSync, realpathSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import Libsql from "libsql";
import { describe, expect, it, onTestFinished } from "vitest";
import { notebookId } from "../../src/notebook/extract.js";
import { celrec, ipynb, makeFolder, start, TINY_MODEL } from "./celrec.js";

const READ = 'df = pd.read_csv("a.csv")';
const FIT = "model.fit(X, y)";

async function makeIndex(): Promise<string> {
  const folder = makeFolder({ "a.ipynb": ipynb(READ, FIT), "b.ipynb": ipynb(READ), "c.ipynb": ipynb("x = 1") });
  const data = join(folder, "index");
  await celrec(["index", folder, "--data", data]);
  return data;
}

const countsOf = async (data: string) => {
  const { cells, notebooks } = JSON.parse((await celrec(["stats", "--json", "--data", data])).stdout);
  return { cells, notebooks };
};

describe("celrec stats", () => {
  it("shows the content of the index", async () => {
    const data = await makeIndex();
    const [{ code, stdout, stderr }, typo] = await Promise.all([
      celrec(["stats", "--data", data]),
      celrec(["stats", "--data", join(data, "typo")]),
    ]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^cells {6}3\nnotebooks {2}3 \(4 occurrences of cells\)\nembedder {3}lexical-/);
    expect(stdout).toMatch(/\nstore {6}embedded\nlabels\n {2}setup_notebook {5}0\n {2}ingest_data {8}1\n/);
    expect(typo).toMatchObject({
      code: 1,
      stdout: "",
      stderr: `celrec: There is no index in ${join(data, "typo")}. Is the folder right? celrec index creates one.\n`,
    });
    expect(existsSync(join(data, "typo"))).toBe(false);
    await celrec(["clear", "--yes", "--data", data]);
    expect((await celrec(["stats", "--data", data])).stderr).toBe(
      "The index is empty; add notebooks with: celrec index PATHS\n",
    );
  });
});

describe("celrec delete", () => {
  it("removes nothing if several sources have the name", async () => {
    const folder = makeFolder({ "one/a.ipynb": ipynb(READ), "two/a.ipynb": ipynb(FIT) });
    const data = join(folder, "index");
    await celrec(["index", join(folder, "one"), join(folder, "two"), "--data", data]);
    const { code, stderr } = await celrec(["delete", "a.ipynb", "--data", data]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^celrec: a\.ipynb is in 2 sources; choose one by its id: [0-9a-f]{64}, [0-9a-f]{64}\.\n$/);
    expect(await countsOf(data)).toEqual({ cells: 2, notebooks: 2 });
  });

  it("removes notebooks by path or id, and exits 4 or 1 for those that are not there", async () => {
    const data = await makeIndex();
    const id = notebookId("c.ipynb", realpathSync(dirname(data)));
    const some = await celrec(["delete", "a.ipynb", id, "zz", "--json", "--data", data]);
    expect(some).toMatchObject({ code: 4, stderr: "Not in the index: zz.\n" });
    expect(JSON.parse(some.stdout)).toEqual({ deleted: ["a.ipynb", id], unknown: ["zz"] });
    expect(await countsOf(data)).toEqual({ cells: 1, notebooks: 1 });
    const none = await celrec(["delete", "a.ipynb", "--data", data]);
    expect(none).toMatchObject({ code: 1, stdout: "", stderr: "celrec: Not in the index: a.ipynb.\n" });
    const last = await celrec(["delete", join(dirname(data), "b.ipynb"), "--data", data]);
    expect(last).toMatchObject({ code: 0, stdout: "deleted 1\n", stderr: "" });
  });
});

describe("celrec clear", () => {
  it("does nothing without --yes, and empties the index with it", async () => {
    const data = await makeIndex();
    const asked = await celrec(["clear", "--data", data]);
    expect(asked).toMatchObject({
      code: 2,
      stdout: "",
      stderr: `celrec: This removes everything from the index in ${data}; add --yes to confirm.\n`,
    });
    expect(await countsOf(data)).toEqual({ cells: 3, notebooks: 3 });
    const done = await celrec(["clear", "--yes", "--data", data]);
    expect(done).toMatchObject({ code: 0, stdout: `The index in ${data} is empty.\n`, stderr: "" });
    expect(await countsOf(data)).toEqual({ cells: 0, notebooks: 0 });
  });
});

describe("celrec export", () => {
  it("asks for a file if a folder is given, before any work", async () => {
    const data = await makeIndex();
    const { code, stderr } = await celrec(["export", data, "--data", data]);
    const advice = `name a file, such as ${join(data, "cells.parquet")}`;
    expect([code, stderr]).toEqual([2, `celrec: ${data} is a folder; ${advice}.\n`]);
  });
});

describe("celrec reembed", () => {
  it("converts an index that another embedder made, which every other command refuses", async () => {
    const data = await makeIndex();
    const tiny = ["--data", data, "--embedder", "codebert", "--model", TINY_MODEL];
    const refusals = await Promise.all([
      celrec(["stats", ...tiny]),
      celrec(["recommend", ...tiny], { input: FIT }),
      celrec(["delete", "a.ipynb", ...tiny]),
    ]);
    for (const { code, stdout, stderr } of refusals) {
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(
        /^celrec: The index in \S+ was made with the embedder lexical-\S+ \(\d+ dimensions\), not codebert:\S+ \(\d+\)\. Go back to its own settings \(--embedder lexical, or CELREC_EMBEDDER=lexical\), or convert it: celrec reembed\n$/,
      );
    }
    const converted = await celrec(["reembed", ...tiny]);
    expect([converted.code, converted.stderr]).toEqual([0, ""]);
    expect(converted.stdout).toMatch(/^3 cells now have vectors of codebert:\S+\n$/);
    const [answer, old] = await Promise.all([
      celrec(["recommend", "-k", "1", "--mode", "similar", "--json", ...tiny], { input: FIT }),
      celrec(["stats", "--data", data]),
    ]);
    expect(JSON.parse(answer.stdout).recommendations[0].code).toBe(FIT);
    expect([old.code, old.stderr]).toMatchObject([1, expect.stringContaining("not lexical-")]);
    const back = await celrec(["reembed", "--json", "--data", data]);
    expect(JSON.parse(back.stdout)).toEqual({ cells: 3, embedder: expect.stringMatching(/^lexical-/) });
    expect(await countsOf(data)).toEqual({ cells: 3, notebooks: 3 });
  });
});

describe("celrec doctor", () => {
  const freePort = async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    return String(port);
  };

  it("reports that everything is in order", async () => {
    const data = await makeIndex();
    const port = await freePort();
    const { code, stdout, stderr } = await celrec(["doctor", "--data", data], { env: { CELREC_PORT: port } });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n").map((line) => line.replace(/lexical-\S+ \(\d+ dimensions\)/, "LEXICAL"))).toEqual([
      `ok   node   ${process.version}`,
      "ok   model  LEXICAL",
      "ok   store  embedded: 3 cells of 3 notebooks",
      "ok   access 127.0.0.1 without tokens",
      `ok   port   127.0.0.1:${port} is free`,
      "",
    ]);
  });

  it("reads every cell on request, and lists the notebooks with a damaged one", async () => {
    const data = await makeIndex();
    const CELREC_PORT = await freePort();
    const doctor = () => celrec(["doctor", "--deep", "--data", data], { env: { CELREC_PORT } });
    const well = await doctor();
    expect(well.stdout).toContain("ok   cells  all cells of 3 notebooks are intact\n");
    const database = new Libsql(join(data, "cells.db"));
    database.exec("update cells set code = cast('x' as blob) where row = 1");
    database.close();
    const { code, stdout } = await doctor();
    expect(code).toBe(1);
    const source = realpathSync(dirname(data));
    expect(stdout).toContain(
      `FAIL cells  a cell is damaged in a.ipynb in ${source}, b.ipynb in ${source}; celrec doctor --repair keeps everything else, and celrec index with the same paths restores what is missing\n`,
    );
    expect((await celrec(["doctor", "--deep", "--data", join(data, "none")], { env: { CELREC_PORT } })).code).toBe(0);
    const milvus = await celrec(["doctor", "--deep", "--store", "milvus"], { env: { CELREC_PORT } });
    expect([milvus.code, milvus.stderr]).toEqual([
      1,
      "celrec: --deep is for an embedded index; Milvus keeps its own copies.\n",
    ]);
  });

  it("reports no problem without an index, makes none, and accepts a running celrec server", async () => {
    const folder = makeFolder();
    const data = join(folder, "index");
    const port = await freePort();
    const fresh = await celrec(["doctor", "--data", data], { env: { CELREC_PORT: port } });
    expect([fresh.code, existsSync(data)]).toEqual([0, false]);
    expect(fresh.stdout).toContain(`ok   store  no index in ${data} yet; create it with celrec index PATHS\n`);
    const running = start(["serve", "--port", port, "--data", data]);
    await running.until(/Ctrl-C\.\n/);
    const beside = await celrec(["doctor", "--data", data], { env: { CELREC_PORT: port } });
    expect(beside.code).toBe(0);
    expect(beside.stdout).toContain(`ok   port   127.0.0.1:${port} is in use by a running celrec\n`);
  });

  it("reports problems with advice: port in use, no model, an index of another embedder, no folder", async () => {
    const data = await makeIndex();
    const server = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const taken = String((server.address() as AddressInfo).port);
    const CELREC_PORT = await freePort();
    const [port, model, store, folder] = await Promise.all([
      celrec(["doctor", "--json", "--data", data], { env: { CELREC_PORT: taken } }),
      celrec(["doctor", "--json", "--data", data, "--embedder", "codebert", "--model", join(data, "none")], {
        env: { CELREC_PORT },
      }),
      celrec(["doctor", "--json", "--data", data, "--embedder", "codebert", "--model", TINY_MODEL], {
        env: { CELREC_PORT },
      }),
      celrec(["doctor", "--json", "--data", join(data, "cells.db", "x")], { env: { CELREC_PORT } }),
    ]);
    const failed = ({ code, stdout }: { code: number | null; stdout: string }) => {
      const { ok, checks } = JSON.parse(stdout);
      expect([code, ok]).toEqual([1, false]);
      return checks.filter((check: { ok: boolean }) => !check.ok);
    };
    expect(failed(port)).toEqual([
      {
        name: "port",
        ok: false,
        detail: `127.0.0.1:${taken} is in use by another program; choose another with CELREC_PORT`,
      },
    ]);
    expect(failed(model)).toMatchObject([{ name: "model", detail: expect.stringContaining(join(data, "none")) }]);
    expect(failed(store)).toMatchObject([{ name: "store", detail: expect.stringContaining("celrec reembed") }]);
    expect(failed(folder)).toMatchObject([{ name: "store", detail: expect.stringContaining("check that the folder") }]);
  });

  it("fails like serve, with the same messages: no token, a broken token file, an empty one", async () => {
    const folder = makeFolder({ broken: "garbage\n", empty: "# nobody yet\n", one: `read ${"0".repeat(64)} me\n` });
    const data = join(folder, "index");
    const port = await freePort();
    const both = async (env: Record<string, string>) => {
      const [doctor, serve] = await Promise.all([
        celrec(["doctor", "--json", "--data", data], { env: { CELREC_PORT: port, ...env } }),
        celrec(["serve", "--data", data], { env: { CELREC_PORT: port, ...env } }),
      ]);
      const { detail } = JSON.parse(doctor.stdout).checks.find(({ name }: { name: string }) => name === "access");
      expect([doctor.code, serve.code, serve.stderr]).toEqual([1, 1, `celrec: ${detail}\n`]);
      return detail;
    };
    expect(await both({ CELREC_HOST: "0.0.0.0" })).toBe(
      "To listen on 0.0.0.0, where other machines can reach it, set CELREC_TOKEN to a secret of at least 16 characters.",
    );
    expect(await both({ CELREC_TOKENS_FILE: join(folder, "broken") })).toBe(
      `The token file ${join(folder, "broken")} cannot be used: line 1 has an unknown scope; known are read, write, admin.`,
    );
    for (const CELREC_HOST of ["0.0.0.0", "127.0.0.1"]) {
      expect(await both({ CELREC_HOST, CELREC_TOKENS_FILE: join(folder, "empty") })).toBe(
        `The token file ${join(folder, "empty")} contains no token, so no client could connect; add a line with scopes, the SHA-256 of a token, and a name.`,
      );
    }
    const env = { CELREC_PORT: port, CELREC_HOST: "0.0.0.0", CELREC_TOKENS_FILE: join(folder, "one") };
    const fine = await celrec(["doctor", "--data", data], { env });
    expect([fine.code, fine.stdout.includes("ok   access 0.0.0.0 with 1 token\n")]).toEqual([0, true]);
  });
});
