import { describe, expect, it } from "vitest";
import { problemOf, type Service, startService, upload } from "./service.js";

const ask = (service: Service, body: object, headers?: Record<string, string>) =>
  service.call("POST", "/v1/completions", body, headers);

/** A small index, so that there is something to learn from. */
async function startFilled(): Promise<Service> {
  const service = await startService();
  await upload(service, "a.ipynb", [
    "import pandas as pd",
    "df = pd.read_csv('a.csv')\ndf.head()",
    "!ls\n%time df.sum()",
  ]);
  return service;
}

describe("POST /v1/completions", () => {
  it.each<[string, object, RegExp]>([
    ["df.gro", {}, /^upby/],
    ["from sklearn.model_selection import ", {}, /^train_test_split/],
    ["import pandas as pd\ndf = pd.read_csv('train.csv')\ndf.isnull().", {}, /^sum\(\)/],
    ["plt.fig", { context: { before: ["import matplotlib.pyplot as plt"] } }, /^ure\(/],
  ])("continues `%s` on an empty index", async (prefix, more, expected) => {
    const service = await startService();
    const { status, body } = await ask(service, { prefix, ...more });
    expect(status).toBe(200);
    expect(body.completions).toMatchObject([{ from: "prior", cells: [], text: expect.stringMatching(expected) }]);
    expect(Object.keys(body.took)).toContain("total");
  });

  it("offers the columns of a frame from a live kernel", async () => {
    const service = await startService();
    const variables = { df: { type: "DataFrame", columns: ["Age", "Fare"] } };
    const before = ["import pandas as pd", "df = pd.read_csv('t.csv')"];
    const { body } = await ask(service, { prefix: 'df["', k: 2, context: { before, variables } });
    const columns = body.completions.map(({ text }: { text: string }) => text.replace(/\].*/, "]"));
    expect(columns.toSorted()).toEqual(['Age"]', 'Fare"]']);
  });

  it("inserts nothing that is already after the cursor", async () => {
    const service = await startService();
    const prefix = "GridSearchCV(RandomForestClassifier(), ";
    const before = ["param_grid = {'n_estimators': [10, 100]}"];
    const { body } = await ask(service, { prefix, suffix: ", cv=5)", k: 5, minConfidence: 0, context: { before } });
    expect(body.completions.length).toBeGreaterThan(0);
    for (const { text } of body.completions) {
      expect(text).not.toContain("cv=");
      // The bracket of the call is closed after the cursor.
      expect(text.split(")").length).toBeLessThanOrEqual(text.split("(").length);
    }
  });

  it("rejects an invalid request, and lists every wrong field", async () => {
    const service = await startService();
    const wrong = async (body: object) => problemOf(await ask(service, body)).detail;
    expect(await wrong({})).toBe("`prefix` is missing");
    expect(await wrong({ prefix: "x", k: 0 })).toBe("`k` must be an integer from 1 to 5, not 0");
    expect(await wrong({ prefix: "x", k: 6 })).toBe("`k` must be an integer from 1 to 5, not 6");
    expect(await wrong({ prefix: "x", maxLines: 21 })).toBe("`maxLines` must be an integer from 1 to 20, not 21");
    expect(await wrong({ prefix: "x", minConfidence: 2 })).toBe("`minConfidence` must be a number from 0 to 1, not 2");
    expect(await wrong({ prefix: "x", code: "y" })).toBe("`code` is not a known field");
    expect(await wrong({ prefix: "x", context: { above: [] } })).toBe("`context.above` is not a known field");
    expect(await wrong({ prefix: "x", context: { variables: { df: { columns: ["a"] } } } })).toBe(
      "`context.variables.df.type` is missing",
    );
  });

  it.each(["prefix", "suffix"])("refuses a %s over 256 KB with 413", async (field) => {
    const service = await startService();
    const answer = await ask(service, { prefix: "x", [field]: "x".repeat(256 * 1024 + 1) });
    expect(problemOf(answer)).toEqual({
      status: 413,
      detail: `The ${field} has 262145 bytes; the limit is 262144 (256 KB).`,
    });
  });

  const KB = 1024;
  const hostile = { "__proto__\u200b": "x", constructor: "y", "a b; import os": "z", "${x}`": "int" };
  const columns = ["", "a'b\"c", "line\nbreak", "\\", "{{x}}", "\u202ereversed", "x".repeat(1_000)];
  it.each<[string, object]>([
    ["256 KB in one line", { prefix: "x".repeat(256 * KB) }],
    ["256 KB of lines", { prefix: "x = f(1)\n".repeat(29_000) }],
    ["only opening brackets", { prefix: "([{".repeat(50_000) }],
    ["only closing brackets", { prefix: ")]}".repeat(50_000), suffix: "([{".repeat(50_000) }],
    ["an open string without end", { prefix: `x = "${"a\\".repeat(60_000)}` }],
    ["a triple quote that is open", { prefix: `"""\n${"df.head()\n".repeat(1_000)}` }],
    ["binary", { prefix: Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 7) % 256)).toString("latin1") }],
    ["lone surrogates", { prefix: "df['\ud800", suffix: "\udc00']", context: { before: ["x = '\udfff'"] } }],
    ["a context of 5,000 cells", { prefix: "df.", context: { before: Array(5_000).fill("df = f(df)\ndf.head()") } }],
    ["hostile names", { prefix: "df.", context: { variables: hostile } }],
    ["hostile columns", { prefix: 'df["', context: { variables: { df: { type: "DataFrame", columns } } } }],
    ["hostile members", { prefix: "df.", context: { variables: { df: { type: "X", members: columns } } } }],
    ["a line magic", { prefix: "%matplotlib inl" }],
    ["a shell line", { prefix: "!pip install pan" }],
    ["a cell magic", { prefix: "%%bash\nls -" }],
    ["another language", { prefix: "%%R\nlibrary(ggplot2)\nggplot(" }],
    ["Chinese", { prefix: "数据 = 读取('文件')\n数据." }],
    ["nothing", { prefix: "", suffix: "" }],
    ["only white space", { prefix: " \t\n  \r\n\t" }],
    ["a comment", { prefix: "# load the da" }],
    ["a broken mixture", { prefix: "def f(:\n\tif x=\n  for [in)) lambda\n'" }],
  ])("answers %s: at most k completions of one line each", async (_, body) => {
    const service = await startFilled();
    const { status, body: answer } = await ask(service, { k: 5, minConfidence: 0, ...body });
    expect(status).toBe(200);
    expect(answer.completions.length).toBeLessThanOrEqual(5);
    for (const { text } of answer.completions) {
      expect(text).not.toBe("");
      expect(text).not.toContain("\n");
    }
  });

  it("needs a token that may read", async () => {
    const service = await startService({ CELREC_TOKEN: "0123456789abcdef" });
    expect((await ask(service, { prefix: "x" })).status).toBe(401);
    expect((await ask(service, { prefix: "x" }, { authorization: "Bearer 0123456789abcdef" })).status).toBe(200);
  });

  it("ends the work when the client goes away", async () => {
    let tell = (_signal: AbortSignal) => {};
    const started = new Promise<AbortSignal>((resolve) => {
      tell = resolve;
    });
    // The model answers too fast to be interrupted from outside.
    const complete = ({ signal }: { signal?: AbortSignal | undefined }) =>
      new Promise<never>((_, reject) => {
        signal!.addEventListener("abort", () => reject(signal!.reason));
        tell(signal!);
      });
    const service = await startService({}, () => ({ complete }));
    const gone = new AbortController();
    const answer = fetch(`${service.url}/v1/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ prefix: "df." }),
      signal: gone.signal,
    });
    const signal = await started;
    const ended = new Promise((resolve) => signal.addEventListener("abort", resolve));
    gone.abort();
    await expect(answer).rejects.toThrow("aborted");
    await ended;
    expect(signal.aborted).toBe(true);
  });
});
