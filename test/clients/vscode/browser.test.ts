import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requires } from "../../require.js";
import { notebookText } from "../jupyterlab/jupyter-server.js";
import { CHROMIUM, hasChromium, launchBrowser, picture } from "../jupyterlab/notebook-page.js";
import { createPlaces, findLoss, PLACES } from "../random-places.js";
import { type CodeServer, hasCodeServer, startCodeServer } from "./code-server.js";

const canRun =
  requires("chromium", hasChromium, `install Chromium as ${CHROMIUM}`) &&
  requires("vscode", hasCodeServer, `scripts/install-code-server.sh, then npm ci && npm run package in clients/vscode`);

const CHURN = [
  "import statistics",
  "ages = [30, 50, 40]\nages_sorted = sorted(ages)",
  'middle = statistics.median(ages_sorted)\nprint("median age", middle)',
];
const FILES = {
  "old/churn.ipynb": notebookText(CHURN),
  "work.ipynb": notebookText(["import statistics", "ages = [30, 50, 40]\nages_sorted = sorted(ages)", ""]),
  "places.py": "# %%\n",
  "script.py": "# %%\nimport statistics\n# %%\nages = [1, 2, 3]\nages_sorted = sorted(ages)\n# %%\n",
};
const WAIT = { timeout: 60_000 };

describe.skipIf(!canRun)("the VS Code extension", { timeout: 240_000 }, () => {
  let [server, browser, page] = [null as unknown as CodeServer, null as unknown as Browser, null as unknown as Page];

  beforeAll(async () => {
    const settings = { "celrec.command": resolve("dist/src/cli/main.js") };
    [server, browser] = await Promise.all([startCodeServer(FILES, settings), launchBrowser()]);
    page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    await page.goto(server.url);
    await page.locator(".monaco-workbench").waitFor(WAIT);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  const open = async (name: string) => {
    await page.keyboard.press("Control+p");
    await page.locator(".quick-input-widget input").fill(name);
    await page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first().waitFor(WAIT);
    await page.keyboard.press("Enter");
    await page.locator(".tab.active", { hasText: name }).waitFor(WAIT);
  };
  const run = async (title: string) => {
    await page.keyboard.press("F1");
    await page.locator(".quick-input-widget input").fill(`>${title}`);
    await page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first().waitFor(WAIT);
    await page.keyboard.press("Enter");
  };
  const showGhost = async () => (await page.locator(".ghost-text-decoration, .ghost-text").allInnerTexts()).join("");
  const view = () => page.frameLocator('iframe.webview[src*="extensionId=celrec"]').frameLocator("#active-frame");
  const findCard = (name: string) => view().locator("article", { hasText: name }).first();
  const saveAndRead = async (name: string) => {
    await page.keyboard.press("Control+s");
    return JSON.parse(readFileSync(join(server.workspace, name), "utf8")).cells.at(-1);
  };

  it("starts the service and indexes the folder", async () => {
    await open("work.ipynb");
    await page.locator(".notebook-editor .cell").first().waitFor(WAIT);
    await run("celrec: Index This Folder");
    const done = page.locator(".notification-list-item-message", { hasText: "are indexed." });
    await done.waitFor(WAIT);
    expect(await done.innerText()).toBe("2 notebooks with 5 cells are indexed.");
    const storage = join(server.data, "User/globalStorage/celrec.celrec-vscode/index");
    expect(readdirSync(storage)).toContain("service.json");
  });

  it("shows ghost text in a notebook cell, which Tab inserts, and the cell runs", async () => {
    await page.locator(".notebook-editor .cell .monaco-editor").last().click();
    await page.keyboard.type("print(len(ages_", { delay: 30 });
    await expect.poll(showGhost, WAIT).toBe("sorted))");
    await page.keyboard.press("Tab");
    await expect.poll(showGhost, WAIT).toBe("");
    await page
      .locator(".notebook-editor .cell.focused .run-button-container a, .code-cell-row.focused .run-button-container a")
      .first()
      .click();
    await expect
      .poll(() => saveAndRead("work.ipynb"), { ...WAIT, interval: 1_000 })
      .toMatchObject({
        source: ["print(len(ages_sorted))"],
        outputs: [{ data: { "text/plain": ["3\n"] } }],
      });
  });

  it("shows cards for the cell, which lead to their notebook", async () => {
    await run("celrec: Focus on Recommended Cells View");
    await page.locator(".notebook-editor .cell .monaco-editor").last().click();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.keyboard.type("middle = stat", { delay: 30 });
    const card = findCard("churn.ipynb");
    await card.waitFor(WAIT);
    await card.getByRole("button", { name: "Go to source" }).click(WAIT);
    await page.locator(".tab.active", { hasText: "churn.ipynb" }).waitFor(WAIT);
  });

  it("inserts what a card adds, and one undo takes it back", async () => {
    await open("work.ipynb");
    const lines = async () => (await saveAndRead("work.ipynb")).source.join("");
    // The other notebook is still in the page.
    const editor = page.locator('.notebook-editor .cell .monaco-editor[data-uri*="work.ipynb"]').last();
    await editor.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("middle = statistics.median(ages_sorted)", { delay: 30 });
    const insert = findCard("median age").getByRole("button", { name: "Insert", exact: true });
    // Cards of the half-typed line may come first.
    const added = () => findCard("median age").locator("ins").allInnerTexts();
    await expect.poll(added, WAIT).toEqual(['print("median age", middle)']);
    await expect.poll(() => insert.isEnabled(), WAIT).toBe(true);
    expect(await findCard("median age").locator("p").allInnerTexts()).toEqual(["old/churn.ipynb, cell 2"]);
    await picture(page, "vscode");
    await insert.click(WAIT);
    await editor.click();
    await expect
      .poll(lines, { ...WAIT, interval: 1_000 })
      .toBe('middle = statistics.median(ages_sorted)\nprint("median age", middle)');
    await page.keyboard.press("Control+z");
    await expect.poll(lines, { ...WAIT, interval: 1_000 }).toBe("middle = statistics.median(ages_sorted)");
  });

  it("shows ghost text in a # %% file, and offers the next cell", async () => {
    await open("script.py");
    const script = page.locator('.monaco-editor[data-uri*="script.py"]');
    await script.click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("print(len(ages_", { delay: 30 });
    await expect.poll(() => script.locator(".view-lines").innerText(), WAIT).toContain("print(len(ages_");
    await expect.poll(showGhost, WAIT).toBe("sorted))");
    // Each key press accepts one word.
    await page.keyboard.press("Control+ArrowRight");
    await expect.poll(showGhost, WAIT).toBe("))");
    await page.keyboard.press("Tab");
    await expect
      .poll(() => page.locator(".monaco-editor.focused .view-lines").first().innerText(), WAIT)
      .toContain("print(len(ages_sorted))");
    await run("celrec: Next Cell");
    await page.locator(".quick-input-list .monaco-list-row", { hasText: "middle = statistics" }).first().click(WAIT);
    await page.keyboard.press("Control+s");
    await expect
      .poll(() => readFileSync(join(server.workspace, "script.py"), "utf8"), WAIT)
      .toMatch(
        /print\(len\(ages_sorted\)\)\n# %%\nmiddle = statistics\.median\(ages_sorted\)\nprint\("median age", middle\)\n$/,
      );
  });

  it(`keeps what is typed at ${PLACES} random places`, { timeout: 1_200_000 }, async () => {
    const read = () => readFileSync(join(server.workspace, "places.py"), "utf8");
    const { random, places } = createPlaces(29);
    await open("places.py");
    await page.locator('.monaco-editor[data-uri*="places.py"]').click();
    const cards = view().locator("main");
    const insert = view().locator("button.primary:enabled");
    const question = async () => Number((await cards.getAttribute("data-question")) ?? 0);
    /** Saves until the file has the expected text, and returns the text. VS Code empties a file before it writes. */
    const save = async (isExpected: (text: string) => boolean) => {
      let text = "";
      const isSaved = async () => {
        await page.keyboard.press("Control+s");
        text = read();
        return text !== "" && isExpected(text);
      };
      await expect.poll(isSaved, { ...WAIT, interval: 100 }).toBe(true);
      return text;
    };
    const accepted = { ghost: 0, word: 0, card: 0, nothing: 0 };
    for (const place of places) {
      const asked = await question();
      await page.keyboard.press("Control+a");
      await page.keyboard.press("Delete");
      await page.keyboard.insertText(place.suffix);
      await page.keyboard.press("Control+Home");
      await page.keyboard.insertText(`# %%\n${place.prefix}`);
      const typed = `# %%\n${place.prefix}${place.suffix}`;
      await save((text) => text === typed);
      // Waits for the cards of the last request, or for the message that says that nothing was found.
      await expect.poll(question, WAIT).toBeGreaterThan(asked);
      await view().locator("main:not(.stale)").waitFor(WAIT);
      const [hasGhost, count] = [(await showGhost()).trim() !== "", await insert.count()];
      const way = hasGhost ? (["ghost", "word", "card", "card"] as const)[random(4)]! : "card";
      if (way === "card" && count === 0) {
        accepted.nothing += 1;
        continue;
      }
      if (way === "card") {
        await insert.nth(random(count)).click();
        await page.locator('.monaco-editor[data-uri*="places.py"]').click();
      } else await page.keyboard.press(way === "ghost" ? "Tab" : "Control+ArrowRight");
      accepted[way] += 1;
      const text = await save((saved) => saved !== typed);
      expect({ text, lost: findLoss(text.replace(/^# %%\n/, ""), place) }).toEqual({ text, lost: null });
      expect(text.length).toBeGreaterThan(typed.length);
    }
    expect(accepted.ghost + accepted.word).toBeGreaterThan(5);
    expect(accepted.card).toBeGreaterThan(50);
  });
});
