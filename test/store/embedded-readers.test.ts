import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { celrec, ipynb, makeFolder, type Running, start, watch } from "../cli/celrec.js";

const FIT = "model.fit(X, y)";
const urlOf = async (running: Running) => (await running.until(/on (http:\S+)\n/))[1]!;

const ask = async (url: string, code: string) => {
  const response = await fetch(`${url}/v1/recommendations`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code, k: 1, filter: "off", mode: "similar" }),
  });
  const { recommendations } = (await response.json()) as { recommendations: { code: string }[] };
  return recommendations.map((each) => each.code);
};

describe("many readers and one writer", () => {
  it("shows a running server the changes of other processes", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb(FIT), "n/b.ipynb": ipynb("plt.plot(x)") });
    const data = join(folder, "index");
    const url = await urlOf(start(["serve", "--port", "0", "--data", data]));
    expect(await ask(url, FIT)).toEqual([]);
    expect((await celrec(["index", join(folder, "n"), "--data", data])).code).toBe(0);
    expect(await ask(url, FIT)).toEqual([FIT]);
    expect((await celrec(["delete", "a.ipynb", "--data", data])).code).toBe(0);
    expect(await ask(url, FIT)).toEqual(["plt.plot(x)"]);
    expect((await celrec(["clear", "--yes", "--data", data])).code).toBe(0);
    expect(await ask(url, FIT)).toEqual([]);
    expect((await celrec(["index", join(folder, "n"), "--data", data])).code).toBe(0);
    expect(await ask(url, FIT)).toEqual([FIT]);
  });

  it("gives a second writer the pid of the first, and frees the lock when that one is killed", async () => {
    const folder = makeFolder({ "n/a.ipynb": ipynb(FIT) });
    const data = join(folder, "index");
    expect((await celrec(["index", join(folder, "n"), "--data", data])).code).toBe(0);
    // A child process that keeps the writer's lock; the command line releases it too soon for this test.
    const holder = watch(
      spawn(process.execPath, ["--input-type=module", "-e", holdLock(), data], { stdio: ["ignore", "pipe", "pipe"] }),
    );
    await holder.until(/^held\n/);
    const second = await celrec(["delete", "a.ipynb", "--data", data]);
    expect(second).toMatchObject({
      code: 1,
      stdout: "",
      stderr: `celrec: Process ${holder.child.pid} (the first writer) is writing the index in ${data}; wait until it is done.\n`,
    });
    expect((await celrec(["stats", "--data", data])).code).toBe(0);
    holder.child.kill("SIGKILL");
    await holder.ended;
    const third = await celrec(["delete", "a.ipynb", "--data", data]);
    expect(third).toMatchObject({ code: 0, stdout: "deleted 1\n", stderr: "" });
  });
});

function holdLock(): string {
  const module = new URL("../../dist/src/store/embedded/writer-lock.js", import.meta.url).href;
  return `
    import { takeWriterLock } from ${JSON.stringify(module)};
    globalThis.lock = takeWriterLock(process.argv[1], { pid: process.pid, activity: "the first writer" });
    console.log("held");
    setInterval(() => {}, 1000);
  `;
}
