import { readFileSync } from "node:fs";
import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, it, vi } from "vitest";
import { upload } from "../http/service.js";
import { hasBrowser, openPage, settled } from "./page.js";

const AXE = readFileSync("node_modules/axe-core/axe.min.js", "utf8");

/** What axe finds wrong; evaluated, because the policy of the page lets no foreign script in. */
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
    // Half the line already brings the cell; its first line counts as typed when all of it is read.
    await first.locator(".typed").waitFor();
    expect(await first.locator("pre").innerText()).toBe('df = pd.read_csv("a.csv")\ndf.head()');
    expect(await first.locator(".typed").allInnerTexts()).toEqual(['df = pd.read_csv("a.csv")']);
    expect(await first.locator(".brought").allInnerTexts()).toEqual(["df.head()"]);
    expect(await first.locator("mark").first().getAttribute("title")).toBe("adm in the notebook");
    await settled(page);
    await page.keyboard.press("Control+Enter");
    expect(await page.getByLabel("Cell 2", { exact: true }).innerText()).toBe('df = pd.read_csv("a.csv")\ndf.head()');
    expect((await service.call("GET", "/v1/feedback/summary")).body.events.accepted).toBe(1);
    await page.getByLabel("Search").fill("fit model");
    await page.getByText("1 cell with these words").waitFor();
    expect(await page.locator("#hits pre").innerText()).toBe("model.fit(X, y)");
    expect(await page.locator("#stats").textContent()).toBe("3 cells of 1 notebook");
    expect(troubles).toEqual([]);
  });

  it("shows the index by label and source, and the notebook of a cell", async () => {
    const { service, page, troubles } = await openPage();
    await upload(service, "a.ipynb", ["import pandas as pd", "model.fit(X, y)"]);
    await page.goto(`${service.url}/#browse`);
    await page.getByLabel("train model, 1 cell").click();
    expect(await page.locator("#browse .hit pre").innerText()).toBe("model.fit(X, y)");
    await page.getByLabel("Open notebook of recommendation 1").click();
    expect(await page.locator("dialog .chosen pre").innerText()).toBe("model.fit(X, y)");
    await page.keyboard.press("Escape");
    await page.getByLabel("Open a.ipynb").click();
    expect(await page.locator("dialog pre").count()).toBe(2);
    expect(troubles).toEqual([]);
  });

  it("counts the notebooks of every source, and not those of the page that is loaded", async () => {
    const { service, page } = await openPage();
    for (let at = 0; at < 201; at += 1) await upload(service, `${at}.ipynb`, ["model.fit(X, y)"]);
    await page.goto(`${service.url}/#browse`);
    await page.getByRole("button", { name: "More notebooks" }).waitFor();
    expect(await page.locator("#browse summary").innerText()).toBe("upload 201 notebooks");
    expect(await page.locator("#browse details li").count()).toBe(200);
  });

  it("brings the cells of a label into view on a narrow screen", async () => {
    const { service, page } = await openPage({}, { viewport: { width: 400, height: 500 } });
    await upload(service, "a.ipynb", ["import pandas as pd", "model.fit(X, y)"]);
    await page.goto(`${service.url}/#browse`);
    await page.getByLabel("Open a.ipynb").waitFor();
    await page.getByLabel("train model, 1 cell").click();
    await page.locator("#browse .hit pre").waitFor();
    const box = await page.locator("#browse h2", { hasText: "Cells" }).boundingBox();
    expect([box!.y >= 0, box!.y < 500]).toEqual([true, true]);
    expect(await page.evaluate<number>("scrollY")).toBeGreaterThan(0);
  });

  it("says in its own words that the service is gone", async () => {
    const { service, page } = await openPage();
    await page.goto(service.url);
    await page.getByText("0 cells of 0 notebooks").waitFor();
    await page.route("**/v1/**", (route) => route.abort());
    await page.getByLabel("Search").fill("fit");
    await page.getByText("The service does not answer; is it running?").waitFor();
  });

  it("shows an evaluation and the feedback", async () => {
    const { service, page, troubles } = await openPage();
    await page.goto(`${service.url}/#evaluation`);
    await page.setInputFiles("#result", "examples/results/typing.json");
    await page.getByText("Suite typing").waitFor();
    await page.getByText("Accuracy by confidence").waitFor();
    await page.goto(`${service.url}/#feedback`);
    await page.getByText("0 hits were seen, 0 accepted").waitFor();
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
  ])("has no barrier that axe finds, and nothing that hangs over: %s", async (_, options) => {
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
    await page.locator("#hits summary").first().click();
    await check();
    // What was on the screen for a second counts as seen.
    await vi.waitFor(
      async () => expect((await service.call("GET", "/v1/feedback/summary")).body.events.shown).toBeGreaterThan(0),
      { timeout: 20_000 },
    );
    await page.getByLabel("Open notebook of recommendation 1").click();
    await page.locator("dialog[open] pre").first().waitFor();
    await check();
    await page.keyboard.press("Escape");
    await page.goto(`${service.url}/#browse`);
    await page.getByLabel("train model, 1 cell").click();
    await page.locator("#browse .hit").waitFor();
    await check();
    await page.goto(`${service.url}/#feedback`);
    await page.locator(".bars").first().waitFor();
    await check();
    await page.goto(`${service.url}/#evaluation`);
    await page.setInputFiles("#result", "examples/results/celrec.json");
    await page.locator(".bars").first().waitFor();
    await check();
    await page.goto(`${service.url}/docs`);
    expect(await findBarriers(page)).toEqual([]);
  });
});
