import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startService, upload } from "../http/service.js";
import { requires } from "../require.js";

const CHROMIUM = "/usr/bin/chromium";
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];
const QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];
const hasBrowser = requires("chromium", existsSync(CHROMIUM), `install Chromium as ${CHROMIUM}`);

beforeAll(() => {
  if (hasBrowser && !existsSync("web/app.js")) execFileSync("npm", ["run", "build"], { stdio: "ignore" });
});

describe.skipIf(!hasBrowser)("the playground", () => {
  it("recommends while somebody types, puts a hit into the cell, and finds cells by words, within its policy", async () => {
    const service = await startService({ CELREC_FEEDBACK: "on" });
    await upload(service, "a.ipynb", ['df = pd.read_csv("a.csv")\ndf.head()', "model.fit(X, y)"]);
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS, ...QUIET] });
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    const troubles: string[] = [];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) troubles.push(message.text());
    });
    page.on("pageerror", (error) => troubles.push(error.message));
    await page.goto(service.url);
    await page.keyboard.type("import pandas as pd");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("df = pd.read_csv(");
    const first = page.locator("#hits .hit").first();
    await first.getByText("a.ipynb [0]").waitFor();
    expect(await first.locator("pre").innerText()).toContain('df = pd.read_csv("a.csv")\ndf.head()');
    await page.getByLabel("Put recommendation 1 into the cell").click();
    expect(await page.getByLabel("Cell 2").innerText()).toBe('df = pd.read_csv("a.csv")\ndf.head()');
    await page.getByLabel("Search").fill("fit model");
    await page.getByText("1 cells with these words").waitFor();
    expect(await page.locator("#hits pre").innerText()).toContain("model.fit(X, y)");
    expect(await page.locator("#stats").textContent()).toBe("2 cells of 1 notebooks");
    expect((await service.call("GET", "/v1/feedback/summary")).body.events.accepted).toBe(1);
    expect(troubles).toEqual([]);
  });

  it("adds notebooks that are chosen", async () => {
    const service = await startService();
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS, ...QUIET] });
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    await page.goto(service.url);
    const text = JSON.stringify({ nbformat: 4, cells: [{ cell_type: "code", source: "x = 1" }] });
    await page.setInputFiles("#files", [
      { name: "a.ipynb", mimeType: "application/json", buffer: Buffer.from(text) },
      { name: "b.ipynb", mimeType: "application/json", buffer: Buffer.from("[]") },
    ]);
    await page.getByText("1 of 2 notebooks added.").waitFor();
    expect(await service.stats()).toMatchObject({ cells: 1, notebooks: 1 });
  });
});
