import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, it, vi } from "vitest";
import { celrec } from "../cli/celrec.js";
import { type Loose, makeFolder, upload } from "../http/service.js";
import { hasBrowser, openPage, readCell, settled } from "./page.js";

const AXE = readFileSync("node_modules/axe-core/axe.min.js", "utf8");

/** The problems that axe finds. Its script is evaluated, because the policy of the page blocks foreign scripts. */
async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { target: unknown[] }[] }[] }> };
    };
    const { violations } = await axe.run();
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
  });
}

const READ = 'adm = pd.read_csv("a.csv")\nadm.head()';

describe.skipIf(!hasBrowser)("the playground", () => {
  it("recommends while the user types, by keyboard alone, in the user's names, within its content policy", async () => {
    const { service, page, troubles } = await openPage();
    await upload(service, "a.ipynb", ["import pandas as pd", READ, "model.fit(X, y)"]);
    await page.goto(service.url);
    await page.keyboard.type("import pandas as pd");
    await page.keyboard.press("Shift+Enter");
    await page.getByLabel("Mode").selectOption("complete");
    await page.getByLabel("Cell 2", { exact: true }).click();
    await page.keyboard.type('df = pd.read_csv("a.csv")');
    const first = page.locator("#hits .hit").first();
    await first.getByText("a.ipynb [1]").waitFor();
    // Half of the line is enough to find the cell; its first line counts as typed only when it is complete.
    await first.locator(".typed").waitFor();
    expect(await first.locator("pre").innerText()).toBe('df = pd.read_csv("a.csv")\ndf.head()');
    expect(await first.locator(".typed").allInnerTexts()).toEqual(['df = pd.read_csv("a.csv")']);
    expect(await first.locator(".brought").allInnerTexts()).toEqual(["df.head()"]);
    expect(await first.locator("mark").first().getAttribute("title")).toBe("adm in the notebook");
    await settled(page);
    await page.keyboard.press("Control+Enter");
    expect(await readCell(page, 2)).toBe('df = pd.read_csv("a.csv")\ndf.head()');
    const accepted = async () => (await service.call("GET", "/v1/feedback/summary")).body.events.accepted;
    await expect.poll(accepted).toBe(1);
    expect(await page.locator("#stats").textContent()).toBe("3 cells of 1 notebook");
    expect(troubles).toEqual([]);
  });

  it("shows the index by label, source and folder, and a notebook at its own address", async () => {
    const { service, page, troubles } = await openPage();
    await upload(service, "ml/a.ipynb", ["import pandas as pd", "model.fit(X, y)"]);
    await page.goto(`${service.url}/#browse`);
    await page.locator("#browse .tree a").first().waitFor();
    expect(await page.locator("#browse .tree summary").allInnerTexts()).toEqual(["upload\n1", "ml/"]);
    await page.getByRole("link", { name: "train model 1" }).click();
    await page.locator("#browse .hit pre").waitFor();
    expect(await page.locator("#browse .hit pre").innerText()).toBe("model.fit(X, y)");
    expect(new URL(page.url()).hash).toBe("#browse?label=train_model");
    await page.getByRole("link", { name: "ml/a.ipynb [1]" }).click();
    expect(await page.locator("#browse .chosen pre").innerText()).toBe("model.fit(X, y)");
    expect(await page.locator("#browse .hit").count()).toBe(2);
    expect(new URL(page.url()).hash).toMatch(/^#notebook\/[\da-f]{64}\/1$/);
    await page.reload();
    expect(await page.locator("#browse .chosen pre").innerText()).toBe("model.fit(X, y)");
    expect(troubles).toEqual([]);
  });

  it("finds cells by words, marks the words, and counts labels among the cells found", async () => {
    const { service, page } = await openPage();
    await upload(service, "a.ipynb", ["import pandas as pd", "model.fit(X, y)", "df.plot()"]);
    await page.goto(`${service.url}/#browse`);
    await page.getByLabel("Search cells", { exact: true }).fill("fit");
    await page.keyboard.press("Enter");
    await page.getByText("1 cell with “fit”, the best match first").waitFor();
    expect(await page.locator("#browse .hit mark").allInnerTexts()).toEqual(["fit"]);
    expect(await page.getByRole("link", { name: "train model 1" }).count()).toBe(1);
    expect(await page.getByRole("link", { name: "visualize data 0" }).count()).toBe(1);
    await page.goto(`${service.url}/#browse?q=nothing+has+this`);
    await page.getByText("0 cells with “nothing has this”").waitFor();
  });

  it("filters the notebooks by name, and loads more of a long list", async () => {
    const { service, page } = await openPage();
    for (const name of ["x/load.ipynb", "x/train.ipynb", "plot.ipynb"])
      await upload(service, name, ["model.fit(X, y)"]);
    // The page size is one, so that a list of three needs several pages.
    await page.route("**/v1/notebooks?limit=1000**", (route) =>
      route.continue({ url: route.request().url().replace("limit=1000", "limit=1") }),
    );
    await page.goto(`${service.url}/#browse`);
    await page.locator("#browse .tree a").first().waitFor();
    await page.getByLabel("Filter notebooks").fill("TRAIN");
    expect(await page.locator("#browse .tree a").allInnerTexts()).toEqual(["train.ipynb\n1"]);
    expect(await page.locator("#browse .tree summary").allInnerTexts()).toEqual(["upload\n1 of 3", "x/"]);
    await page.getByLabel("Filter notebooks").fill("none");
    expect(await page.locator("#browse .tree").innerText()).toBe("No notebook has this name.");
  });

  it("shows the Markdown of a notebook whose file is there", async () => {
    const [folder, data] = [makeFolder(), makeFolder()];
    const cells = [
      {
        cell_type: "markdown",
        metadata: {},
        source:
          '# Fit\n\n<table><td><img src="a.png"/></td></table>\n\nWith **all** of <b>`X`</b>, if 1 < 2: [docs](https://example.org)\n- one\n- two',
      },
      { cell_type: "code", metadata: {}, execution_count: null, outputs: [], source: "model.fit(X, y)" },
    ];
    writeFileSync(join(folder, "a.ipynb"), JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells }));
    await celrec(["index", folder, "--data", data, "--embedder", "lexical"]);
    const { service, page } = await openPage({ CELREC_DATA: data });
    await page.goto(`${service.url}/#browse`);
    await page.locator("#browse .tree a").click();
    const text = page.locator("#browse .markdown");
    expect(await text.locator("h3").innerText()).toBe("Fit");
    expect(await text.locator("p").innerHTML()).toBe(
      'With <strong>all</strong> of <code>X</code>, if 1 &lt; 2: <a href="https://example.org" rel="noreferrer">docs</a>',
    );
    expect(await text.locator("li").allInnerTexts()).toEqual(["one", "two"]);
    expect(await page.locator("#browse .hit pre").innerText()).toBe("model.fit(X, y)");
  });

  it("folds the facets on a narrow screen, so that the cells of a label are in view", async () => {
    const { service, page } = await openPage({}, { viewport: { width: 400, height: 500 } });
    await upload(service, "a.ipynb", ["import pandas as pd", "model.fit(X, y)"]);
    await page.goto(`${service.url}/#browse`);
    const label = page.getByRole("link", { name: "train model 1" });
    await page.locator("#browse .entry").waitFor();
    expect(await label.isVisible()).toBe(false);
    await page.getByText("Labels, sources and folders").click();
    await label.click();
    await page.locator("#browse .hit pre").waitFor();
    expect(await label.isVisible()).toBe(false);
    const boxes = [page.locator("#browse .search"), page.locator("#browse .hit pre")].map((each) => each.boundingBox());
    for (const box of await Promise.all(boxes)) expect([box!.y >= 0, box!.y < 500]).toEqual([true, true]);
  });

  it("keeps the notebook across a reload, and restores a cleared notebook", async () => {
    const { service, page } = await openPage();
    await page.goto(service.url);
    expect(await page.locator("#examples button").allInnerTexts()).toEqual([
      "Read a file",
      "Split and train",
      "Confusion matrix",
      "Plot a histogram",
    ]);
    await page.getByText("Read a file").click();
    await settled(page);
    expect(await page.locator("#examples").isVisible()).toBe(false);
    await page.reload();
    expect(await page.locator("#cells .cm-content").allInnerTexts()).toEqual([
      "import pandas as pd",
      "df = pd.read_csv(",
    ]);
    await page.getByRole("button", { name: "Clear" }).click();
    expect(await page.locator("#cells .cell").count()).toBe(1);
    await page.getByRole("button", { name: "Undo" }).click();
    expect(await page.locator("#cells .cell").count()).toBe(2);
    await page.getByRole("button", { name: "Clear" }).click();
    expect(await page.locator("#done").innerText()).toContain("Notebook cleared.");
    await page.getByRole("link", { name: "Evaluation" }).click();
    await page.getByText("Evaluation results").waitFor();
    expect(await page.locator("#done").innerText()).toBe("");
  });

  it("has two tab stops for all suggestions, and chooses by arrow keys", async () => {
    const { service, page } = await openPage();
    await upload(service, "a.ipynb", ["import pandas as pd", READ, "model.fit(X, y)"]);
    await page.goto(service.url);
    await page.getByLabel("Mode").selectOption("similar");
    await page.getByLabel("Cell 1", { exact: true }).click();
    await page.keyboard.type("model.fit(X, y)\ndf = pd.read_csv(");
    await settled(page);
    expect(await page.locator("#hits .hit").count()).toBeGreaterThan(1);
    const stops = page.locator('#hits :is(a, button, summary, input, [tabindex]):not([tabindex="-1"])');
    expect(await stops.allInnerTexts()).toEqual([expect.stringMatching(/^1\n/), expect.stringMatching(/^Insert/)]);
    await page.keyboard.press("Control+ArrowDown");
    await page.keyboard.press("ArrowDown");
    expect(await page.locator("#hits .hit.chosen .rank").allInnerTexts()).toEqual(["2"]);
    expect(await page.locator("#hits [aria-expanded=true]:focus").count()).toBe(1);
    await page.keyboard.press("Escape");
    expect(
      await page.getByLabel("Cell 1", { exact: true }).evaluate((content: Loose) => content.matches(":focus")),
    ).toBe(true);
  });

  it("opens the search with /, shows lines from their match on, and runs commands", async () => {
    const { service, page } = await openPage();
    await upload(service, "a.ipynb", ["from sklearn.metrics import classification_report, confusion_matrix"]);
    await page.goto(`${service.url}/#feedback`);
    await page.locator("#feedback .tiles").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("confusion_matrix");
    const found = () => page.locator("#palette .option code").allInnerTexts();
    await expect.poll(found).toEqual(["…classification_report, confusion_matrix"]);
    // There is only one mark, although the search words are confusion and matrix.
    expect(await page.locator("#palette .option mark").allInnerTexts()).toEqual(["confusion_matrix"]);
    // If Enter is pressed before the choices arrive, it waits for them.
    await page.getByLabel("Search cells, notebooks and commands").fill("browse");
    await page.keyboard.press("Enter");
    await page.locator("#browse .entries", { hasText: "a.ipynb" }).waitFor();
  });

  it("reports in plain words that the service does not answer", async () => {
    const { service, page } = await openPage();
    await page.goto(service.url);
    await page.getByText("0 cells of 0 notebooks").waitFor();
    await page.route("**/v1/**", (route) => route.abort());
    await page.getByLabel("Cell 1", { exact: true }).click();
    await page.keyboard.type("fit");
    await page.getByText("The service does not answer; is it running?").waitFor();
    expect(await page.getByText("Failed to fetch").count()).toBe(0);
  });

  it("lists the runs of a folder, and compares two by tick or by drag", async () => {
    const { service, page, troubles } = await openPage();
    await page.goto(`${service.url}/#evaluation`);
    await page.setInputFiles("#result-folder", "examples/results");
    await page.getByText("Suite celrec").waitFor();
    const runs = page.locator("#evaluation .runs li");
    const suites = ["celrec", "cursor", "exeds", "feedback", "juice", "labels", "themisto", "typing"];
    expect(await runs.locator("strong").allInnerTexts()).toEqual(suites);
    await runs.nth(7).locator("button").click();
    await page.getByText("Accuracy by confidence").waitFor();
    // A long bar is good: .25 undefined names give a bar of .75.
    const row = page.locator("#evaluation tr", { hasText: "undefined-names" }).first();
    expect(await row.locator("th").innerText()).toBe("undefined-names lower is better");
    const bar = (name: string) =>
      row.locator(".less .share").evaluate((each: Loose, key) => each.style.getPropertyValue(key), name);
    expect(await bar("--share")).toBe("0.75");
    await runs.nth(1).getByLabel("Compare").focus();
    await page.keyboard.press("Space");
    const rows = page.locator("#evaluation .compared tbody tr");
    expect(await rows.locator("th, .number").allInnerTexts()).toEqual([
      "undefined-names lower is better",
      "0.250",
      "0.000",
      "−0.250 better",
    ]);
    await runs.nth(0).dragTo(runs.nth(3));
    await page.getByText("A: results/celrec.json (celrec) · B: results/feedback.json (feedback)").waitFor();
    expect(await rows.locator("th, .number").allInnerTexts()).toEqual([
      "ece lower is better",
      "0.500",
      "0.225",
      "−0.275 better",
    ]);
    expect(troubles).toEqual([]);
  });

  it("shows the feedback with its trend, or how to switch it on", async () => {
    const { service, page } = await openPage();
    await upload(service, "a.ipynb", ["model.fit(X, y)"]);
    const { body } = await service.call("POST", "/v1/recommendations", { code: "model.fit(" });
    await service.call("POST", "/v1/feedback", { recommendation: body.id, rank: 1, event: "accepted" });
    await page.goto(`${service.url}/#feedback`);
    await page.locator("#feedback .trend li").waitFor();
    expect(await page.locator("#feedback .trend .count").allInnerTexts()).toEqual(["1 of 1"]);
    expect(await page.locator("#feedback .tiles dd").allInnerTexts()).toEqual(["1", "1", "100 %", "0", "0"]);
    const off = await openPage({ CELREC_FEEDBACK: "off" });
    await off.page.goto(`${off.service.url}/#feedback`);
    expect(await off.page.locator("#feedback .command code").innerText()).toBe("CELREC_FEEDBACK=on celrec serve");
    expect(await off.page.locator("#feedback .command button").innerText()).toBe("Copy");
  });

  it("lists the calls of the API, each with curl, and sends one", async () => {
    const { service, page, troubles } = await openPage();
    await page.goto(`${service.url}/docs`);
    const calls = await page.locator(".calls a").count();
    expect([calls > 20, await page.locator("pre.curl").count(), await page.locator(".try").count()]).toEqual([
      true,
      calls,
      calls,
    ]);
    const label = page.locator("#label");
    expect(await label.locator("pre.curl").innerText()).toBe(
      `curl -s -X POST '${service.url}/v1/labels' \\\n  -H 'content-type: application/json' \\\n  -d '{"code":"model.fit(X_train, y_train)"}'`,
    );
    await label.getByText("Try it").click();
    await label.getByRole("button", { name: "Send" }).click();
    await label.getByText('"primary": "train_model"').waitFor();
    // A field name is one line, whatever the width.
    const heights = await page
      .locator("td:first-child code")
      .evaluateAll((codes: Loose[]) => codes.map((code) => code.getClientRects().length));
    expect(Math.max(...heights)).toBe(1);
    expect(troubles).toEqual([]);
  });

  it("adds the chosen notebooks and scripts, and reports other files", async () => {
    const { service, page } = await openPage();
    await page.goto(service.url);
    const text = JSON.stringify({ nbformat: 4, cells: [{ cell_type: "code", source: "x = 1" }] });
    await page.setInputFiles("#files", [
      { name: "a.ipynb", mimeType: "application/json", buffer: Buffer.from(text) },
      { name: "b.ipynb", mimeType: "application/json", buffer: Buffer.from("[]") },
      { name: "d.ipynb", mimeType: "application/json", buffer: Buffer.from("{") },
      { name: "c.py", mimeType: "text/x-python", buffer: Buffer.from("# %%\ny = compute(2)\n") },
    ]);
    await page.getByText("2 of 4 notebooks added, 2 new cells.").waitFor();
    expect(await page.locator("#uploaded p").allInnerTexts()).toEqual([
      "2 of 4 notebooks added, 2 new cells.",
      "b.ipynb: JSON, but not a notebook: the top is a list, not an object",
      expect.stringMatching(/^d\.ipynb: not JSON/),
    ]);
    expect(await service.stats()).toMatchObject({ cells: 2, notebooks: 2 });
  });

  it("asks for a token if the service does, and keeps it for the tab", async () => {
    const { service, page } = await openPage({ CELREC_TOKEN: "0123456789abcdef" });
    await page.goto(service.url);
    await page.getByText("Waiting for a token.").waitFor();
    await page.getByLabel("This service needs a token").fill("another-wrong-one");
    await page.keyboard.press("Enter");
    await page.getByText("The token is wrong; enter another one.").waitFor();
    await page.getByLabel("This service needs a token").fill("0123456789abcdef");
    await page.keyboard.press("Enter");
    await page.getByText("0 cells of 0 notebooks").waitFor();
    await page.reload();
    await page.getByText("0 cells of 0 notebooks").waitFor();
  });

  it.each<[string, BrowserContextOptions]>([
    ["light", { colorScheme: "light" }],
    ["dark", { colorScheme: "dark" }],
    ["narrow", { viewport: { width: 380, height: 800 } }],
  ])("has no accessibility problem that axe finds, and does not scroll sideways: %s", async (_, options) => {
    const { service, page } = await openPage({}, { ...options, reducedMotion: "reduce" });
    await upload(service, "a.ipynb", ["import pandas as pd", READ, "model.fit(X, y)"]);
    const check = async () => {
      expect(await findBarriers(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    };
    await page.goto(service.url);
    await page.getByLabel("Mode").selectOption("similar");
    await page.getByLabel("Cell 1", { exact: true }).click();
    await page.keyboard.type("df = pd.read_csv(");
    await page.getByText("Why?").click();
    await check();
    // A suggestion on the screen for a second counts as seen.
    await vi.waitFor(
      async () => expect((await service.call("GET", "/v1/feedback/summary")).body.events.shown).toBeGreaterThan(0),
      { timeout: 20_000 },
    );
    await page.keyboard.press("Control+k");
    await page.keyboard.type("fit");
    await page.locator("#palette .option code").waitFor();
    await check();
    await page.keyboard.press("Escape");
    await page.locator("#hits").getByText("Open", { exact: true }).click();
    await page.locator("#browse .chosen pre").waitFor();
    await check();
    await page.goto(`${service.url}/#browse?label=train_model`);
    await page.getByText("1 cell labelled train model, the most typical first").waitFor();
    await check();
    await page.goto(`${service.url}/#feedback`);
    await page.locator("#feedback .bars").first().waitFor();
    await check();
    await page.goto(`${service.url}/#evaluation`);
    await page.setInputFiles("#result", ["examples/results/celrec.json", "examples/results/cursor.json"]);
    await page.locator("#evaluation .bars").first().waitFor();
    await check();
    await page.getByLabel("Compare").nth(1).check();
    await page.locator("#evaluation .compared").waitFor();
    await check();
    await page.goto(`${service.url}/docs`);
    expect(await findBarriers(page)).toEqual([]);
  });
});
