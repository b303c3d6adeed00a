import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { send, startServer } from "../evaluate/targets/servers.js";
import { celrec, ipynb, makeFolder, start } from "./celrec.js";

const cell = (at: number) => `frame_${at} = pd.read_csv("f${at}.csv")\nprint(${at})\nframe_${at}.head(${at})`;
const answerTo = (content: string) => ({
  choices: [{ message: { content }, finish_reason: "stop" }],
  usage: { prompt_tokens: 100, completion_tokens: 5 },
});

async function makeCases(notebooks: number) {
  const files = Array.from({ length: notebooks }, (_, at) => [`cases/${at}.ipynb`, ipynb(cell(at))]);
  const folder = makeFolder({
    ...Object.fromEntries(files),
    "index/i.ipynb": ipynb('frame_0 = pd.read_csv("f0.csv")\nframe_0.describe()'),
  });
  const cases = join(folder, "cases.jsonl");
  await celrec(["eval", "build", "typing", "--notebooks", join(folder, "cases"), "--out", cases]);
  const inputs = ["--cases", cases, "--index", join(folder, "index"), "--data", join(folder, ".celrec")];
  return { folder, run: ["eval", "typing", ...inputs, "--target", "openai:tiny"] };
}

describe("celrec eval --target openai:MODEL", () => {
  it("asks the model, counts tokens and cost, and sends each question once", async () => {
    const server = await startServer((_, response) => send(response, 200, answerTo("```python\nframe.head(0)\n```")));
    const { run, folder } = await makeCases(6);
    const report = join(folder, "out.md");
    const words = [...run, "--target-url", server.url, "--limit", "4", "--price-in", "1", "--price-out", "10"];
    const env = { OPENAI_API_KEY: "other-tools-key" };
    const first = await celrec([...words, "--json", "--report", report], { env });
    expect([first.code, server.asked.length]).toEqual([0, 4]);
    expect(server.asked[0]!.headers.authorization).toBe("Bearer other-tools-key");
    const document = JSON.parse(first.stdout);
    expect(document.counts.cases).toBe(4);
    expect(document.config).toMatchObject({ target: "openai:tiny", withCells: 0, limit: 4 });
    expect(document.manifest.usage).toMatchObject({ answers: 4, asked: 4, tokensIn: 400, tokensOut: 20 });
    expect(document.manifest.usage.costOfRun).toBeCloseTo(0.0006, 12);
    expect(document.problems.target.short).toBe(0);
    expect(readFileSync(report, "utf8")).toContain("| usage tokensIn | 400 |");
    expect(first.stdout + first.stderr + readFileSync(report, "utf8")).not.toContain("other-tools-key");

    const second = await celrec([...words, "--json"], { env: { CELREC_OPENAI_KEY: "own-key" } });
    expect(server.asked).toHaveLength(4);
    expect(second.stderr).toContain(
      "4 answers, 4 of them from the cache; 400 tokens in, 20 out; cost of this run 0.0000, of all answers 0.0006",
    );
    expect(JSON.parse(second.stdout).metrics).toEqual(document.metrics);
  });

  it("puts retrieved cells into the prompt, and prints one prompt in a dry run", async () => {
    const server = await startServer((_, response) => send(response, 200, answerTo("x")));
    const { run, folder } = await makeCases(2);
    const words = [...run, "--target-url", server.url, "--with-cells", "1", "--dry-run"];
    const { code, stdout } = await celrec(words);
    expect([code, server.asked]).toEqual([0, []]);
    expect(stdout).toContain("Cells of other notebooks that may help:\n# %%\n");
    expect(stdout).toContain(`The first lines of the cell:\n\`\`\`python\n${cell(0).split("\n")[0]}\n\`\`\``);
    expect(stdout.match(/--- system ---/g)).toHaveLength(1);
    // The next run starts from scratch.
    await celrec(words.slice(0, -1));
    expect(server.asked).toHaveLength(2);
    expect(existsSync(join(folder, ".celrec", "eval", "answers"))).toBe(true);
  });

  it("resumes after Ctrl-C without asking again", async () => {
    const server = await startServer((_, response) => {
      setTimeout(() => send(response, 200, answerTo("x")), 20);
    });
    const { run } = await makeCases(40);
    const words = [...run, "--target-url", server.url];
    for (const stopAt of [5, 15]) {
      const running = start(words);
      while (server.asked.length < stopAt) await new Promise((resolve) => setTimeout(resolve, 5));
      running.child.kill("SIGINT");
      await running.ended;
    }
    const { code } = await celrec(words);
    expect([code, server.asked.length]).toEqual([0, 40]);
    expect(new Set(server.asked.map(({ body }) => body)).size).toBe(40);
  });

  it("ends at once without a key, with a flag that needs a language model, or with invalid settings", async () => {
    const server = await startServer((_, response) => send(response, 401, { error: "no key" }));
    const { run } = await makeCases(2);
    const refused = await celrec([...run, "--target-url", server.url]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("Give the key in CELREC_OPENAI_KEY")]);
    const other = await celrec([...run.slice(0, -1), "baseline:bm25", "--with-cells", "2"]);
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringContaining("--with-cells needs a language model: --target openai:MODEL."),
    ]);
    const settings = await celrec([...run, "--model-settings", "[1]"]);
    expect([settings.code, settings.stderr]).toEqual([2, expect.stringContaining("It must be a JSON object")]);
  });
});
