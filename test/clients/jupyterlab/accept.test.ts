import { describe, expect, it, onTestFinished } from "vitest";
import { requires } from "../../require.js";
import { createPlaces, findLoss, PLACES, putAround } from "../random-places.js";
import { hasJupyterLab, notebookText, startJupyter } from "./jupyter-server.js";
import { CHROMIUM, codeCell, hasChromium, launchBrowser, openNotebook, readSource, settled } from "./notebook-page.js";

const canRun =
  requires("chromium", hasChromium, `install Chromium as ${CHROMIUM}`) &&
  requires("jupyterlab", hasJupyterLab, "python3 -m venv .venv-jupyter, then the lines about it in .ci/run");

const FILES = { "work.ipynb": notebookText(["# Work", "import pandas as pd", ""]) };

describe.skipIf(!canRun)("accepting in JupyterLab", () => {
  it(`keeps what is typed at ${PLACES} random places`, { timeout: 900_000 }, async () => {
    const [server, browser] = await Promise.all([
      startJupyter(FILES, { settings: { ghostConfidence: 0.2 } }),
      launchBrowser(),
    ]);
    onTestFinished(async () => {
      await browser.close();
      await server.stop();
    });
    const page = await openNotebook(browser, server, "work.ipynb");
    const { editor } = codeCell(page, 1);
    const ghost = editor.locator(".jp-GhostText");
    const insert = page.locator(".jp-celrec-Card button:enabled", { hasText: /^Insert$/ });
    const { random, places } = createPlaces(28);
    const accepted = { ghost: 0, token: 0, card: 0, key: 0, nothing: 0 };
    for (const place of places) {
      const { prefix, suffix } = place;
      await putAround(page, editor, place);
      await settled(page);
      expect(await readSource(editor)).toBe(prefix + suffix);
      const hasGhost = (await ghost.count()) > 0 && ((await ghost.first().textContent()) ?? "") !== "";
      const way = random(4);
      const count = await insert.count();
      if (hasGhost && way < 2) {
        accepted[way === 0 ? "ghost" : "token"] += 1;
        await page.keyboard.press(way === 0 ? "Tab" : "Control+ArrowRight");
      } else if (count > 0 && way < 3) {
        accepted.card += 1;
        await insert.nth(random(count)).click();
        expect((await readSource(editor)).length).toBeGreaterThan(prefix.length + suffix.length);
      } else {
        // A card that has nothing to insert leaves the text alone.
        accepted[count > 0 ? "key" : "nothing"] += 1;
        await page.keyboard.press(`Control+Shift+Digit${1 + random(3)}`);
      }
      expect(findLoss(await readSource(editor), place)).toBe(null);
    }
    expect(accepted.ghost + accepted.token).toBeGreaterThan(5);
    expect(accepted.card + accepted.key).toBeGreaterThan(50);
  });
});
