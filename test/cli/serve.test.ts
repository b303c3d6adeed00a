import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { reportSlow } from "../../src/cli/commands/serve.js";
import { celrec, ipynb, makeFolder, type Running, start } from "./celrec.js";

const FIT = "model.fit(X, y)";
const serve = (data: string, ...flags: string[]) => start(["serve", "--port", "0", "--data", data, ...flags]);
const urlOf = async (running: Running) => (await running.until(/on (http:\S+)\n[\s\S]*Ctrl-C\.\n/))[1]!;

const shell = (line: string, env: Record<string, string> = {}) =>
  new Promise<string>((resolve, reject) =>
    execFile("sh", ["-c", line], { env: { ...process.env, ...env } }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    ),
  );

/** Resident memory in MB after 30 questions; 0 where the service cannot measure it. */
async function measureMemory(url: string): Promise<number> {
  for (let at = 0; at < 30; at += 1) {
    const code = `import pandas as pd\ndf${at} = pd.read_csv("${at}.csv")\ndf${at}.`;
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ code });
    expect((await fetch(`${url}/v1/recommendations`, { method: "POST", headers, body })).status).toBe(200);
  }
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(metrics)?.[1] ?? 0) / 2 ** 20;
}

describe("a step of the start", () => {
  it("is printed if it takes long", async () => {
    const said: string[] = [];
    let finish: (value: number) => void = () => {};
    const slow = new Promise<number>((resolve) => {
      finish = resolve;
    });
    const note = (text: string) => {
      said.push(text);
      finish(1);
    };
    expect(await reportSlow(note, "Opening the index ...", slow, 0)).toBe(1);
    expect(said).toEqual(["Opening the index ..."]);
  });

  it("is not printed if it is fast, and fails with its own error", async () => {
    const said: string[] = [];
    const note = (text: string) => void said.push(text);
    expect(await reportSlow(note, "Opening the index ...", Promise.resolve(2), 60_000)).toBe(2);
    await expect(reportSlow(note, "Opening", Promise.reject(new Error("gone")), 60_000)).rejects.toThrow("gone");
    expect(said).toEqual([]);
  });
});

describe("celrec serve", () => {
  it("indexes the samples once, prints a curl line that works, needs little memory, and ends cleanly", async () => {
    const data = join(makeFolder(), "index");
    const first = serve(data, "--samples");
    const url = await urlOf(first);
    const [, notebooks, cells] = await first.until(/^Indexed (\d+) sample notebooks, (\d+) cells\.\n/m);
    expect(Number(notebooks)).toBeGreaterThanOrEqual(15);
    expect(Number(cells)).toBeGreaterThanOrEqual(250);
    const [, line] = await first.until(/^Open it in a browser, or try:\n {2}(curl .*)$/m);
    const { recommendations } = JSON.parse(await shell(line!));
    expect(recommendations.length).toBe(2);
    expect(recommendations[0].code).toContain("pd.read_csv(");
    expect(await measureMemory(url)).toBeLessThan(225);
    first.child.kill("SIGTERM");
    const { code, stdout } = await first.ended;
    expect([code, stdout]).toEqual([0, ""]);

    const second = serve(data, "--samples");
    const next = await urlOf(second);
    expect(second.output()).toMatch(
      /^celrec serves \d+ cells on http:\/\/127\.0\.0\.1:\d+\nOpen it in a browser, or try:\n/m,
    );
    expect(await measureMemory(next)).toBeLessThan(200);
    second.child.kill("SIGINT");
    expect((await second.ended).code).toBe(0);
  });

  it("indexes the samples into an index that was emptied", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb(FIT) });
    const data = join(folder, "index");
    await celrec(["index", join(folder, "n"), "--data", data]);
    await celrec(["clear", "--yes", "--data", data]);
    const running = serve(data, "--samples");
    await urlOf(running);
    await running.until(/^Indexed \d+ sample notebooks, \d+ cells\.\n/m);
    running.child.kill("SIGINT");
    expect((await running.ended).code).toBe(0);
  });

  it("leaves a non-empty index unchanged, warms up, and serves the page at /", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb(FIT) });
    const data = join(folder, "index");
    await celrec(["index", join(folder, "n"), "--data", data]);
    const running = serve(data, "--samples", "--log-level", "info");
    const url = await urlOf(running);
    // The service warms up before it listens, so no client waits for warming up.
    expect(running.output()).toMatch(/^\{.*"cells":1,"msg":"warmed up"\}\ncelrec serves 1 cells on /m);
    const page = await fetch(url);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const html = await page.text();
    expect(html).toContain("<title>celrec</title>");
    expect(html).toContain('<script type="module" src="app.js"></script>');
  });

  it("requires a token if other machines can reach it, and prints a login line with it", async () => {
    const data = join(makeFolder(), "index");
    const open = await celrec(["serve", "--host", "0.0.0.0", "--port", "0", "--data", data]);
    expect(open).toMatchObject({
      code: 1,
      stdout: "",
      stderr:
        "celrec: To listen on 0.0.0.0, where other machines can reach it, set CELREC_TOKEN to a secret of at least 16 characters.\n",
    });
    const env = { CELREC_TOKEN: "0123456789abcdef" };
    const running = start(["serve", "--host", "0.0.0.0", "--port", "0", "--data", data], { env });
    const url = await urlOf(running);
    expect((await fetch(`${url}/v1/stats`)).status).toBe(401);
    const [, line] = await running.until(/^Open it in a browser, or try:\n {2}(curl .*)$/m);
    expect(JSON.parse(await shell(line!, env)).recommendations).toEqual([]);
    expect(running.output()).not.toContain(env.CELREC_TOKEN);
  });

  it("prints a line with a token if tokens are in a file, too", async () => {
    const token = "0123456789abcdef";
    const hash = createHash("sha256").update(token).digest("hex");
    const folder = makeFolder({ tokens: `read ${hash} me\n` });
    const env = { CELREC_TOKENS_FILE: join(folder, "tokens") };
    const running = start(["serve", "--port", "0", "--data", join(folder, "index")], { env });
    const [, line] = await running.until(/^Open it in a browser, or try:\n {2}(curl .*)$/m);
    expect(JSON.parse(await shell(line!, { CELREC_TOKEN: token })).recommendations).toEqual([]);
  });

  it("exits 1 if the port is in use", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    const { code, stdout, stderr } = await celrec([
      "serve",
      "--port",
      `${port}`,
      "--data",
      join(makeFolder(), "index"),
    ]);
    // On a slow machine, a line about the start may come first.
    expect([code, stdout, stderr.split("\n").slice(-2)]).toEqual([
      1,
      "",
      [`celrec: Port ${port} on 127.0.0.1 is in use; stop the other program, or choose another port with --port.`, ""],
    ]);
  });

  it("finishes a running request when it gets SIGTERM", async () => {
    const data = join(makeFolder(), "index");
    const running = serve(data);
    const url = await urlOf(running);
    const cells = Array.from({ length: 20 }, (_, at) => `value_${at} = pd.read_csv("${at}.csv")`);
    const headers = { "content-type": "application/json", expect: "100-continue" };
    const upload = request(`${url}/v1/notebooks?name=a`, { method: "POST", headers });
    const answered = once(upload, "response") as Promise<[IncomingMessage]>;
    upload.flushHeaders();
    // The service has the request and waits for its body.
    await once(upload, "continue");
    running.child.kill("SIGTERM");
    upload.end(ipynb(...cells));
    expect((await answered)[0].statusCode).toBe(201);
    expect((await running.ended).code).toBe(0);
  });
});
