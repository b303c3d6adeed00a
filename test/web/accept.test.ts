import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { createPlaces, findLoss, PLACES, putAround, readSamples } from "../clients/random-places.js";
import { type Loose, type Service, upload } from "../http/service.js";
import { cell, hasBrowser, openPage, readCell, settled } from "./page.js";

const LOAD = ["import pandas as pd", 'df = pd.read_csv("a.csv")\ndf.head()', "model.fit(X_train, y_train)"];

const put = (page: Page, number: number, prefix: string, suffix: string): Promise<void> =>
  putAround(page, cell(page, number), { prefix, suffix });

async function start(cells: readonly string[] = LOAD): Promise<{ service: Service; page: Page }> {
  const { service, page } = await openPage();
  await upload(service, "a.ipynb", cells);
  await page.goto(service.url);
  return { service, page };
}

describe.skipIf(!hasBrowser)("accepting on the page", () => {
  it(`keeps what is typed at ${PLACES} random places`, { timeout: 600_000 }, async () => {
    const { service, page } = await openPage();
    for (const { name, cells } of readSamples()) await upload(service, name, cells);
    const { random, places } = createPlaces(27);
    await page.goto(service.url);
    const accepted = { ghost: 0, card: 0, nothing: 0 };
    for (const place of places) {
      const { prefix, suffix } = place;
      await put(page, 1, prefix, suffix);
      await settled(page);
      expect(await readCell(page, 1)).toBe(prefix + suffix);
      const cards = page.locator("#hits .choose");
      const insert = page.locator("#hits button.primary:enabled", { hasText: "Insert" });
      const tookGhost = (await page.locator(".ghost").count()) > 0 && random(2) === 0;
      const count = tookGhost ? 0 : await cards.count();
      const first = count === 0 ? 0 : random(count);
      // Starts at a random card, and takes the first one that has something to insert.
      let isUsable = false;
      for (let step = 0; step < count && !isUsable; step += 1) {
        await cards.nth((first + step) % count).click();
        isUsable = (await insert.count()) > 0;
      }
      if (tookGhost) {
        accepted.ghost += 1;
        await page.keyboard.press("Tab");
      } else if (isUsable) {
        accepted.card += 1;
        await insert.click();
      } else {
        accepted.nothing += 1;
        await page.keyboard.press("Control+Enter");
      }
      const text = await readCell(page, 1);
      expect(findLoss(text, place)).toBe(null);
      expect(text.length > prefix.length + suffix.length).toBe(tookGhost || isUsable);
    }
    expect(accepted.ghost).toBeGreaterThan(5);
    expect(accepted.card).toBeGreaterThan(50);
  });

  it("inserts exactly the lines marked as new, and can undo it", async () => {
    const { page } = await start();
    await put(page, 1, 'df = pd.read_csv("a.csv")', "");
    await settled(page);
    const card = page.locator("#hits .hit.chosen", { hasText: "a.ipynb [1]" });
    expect(await card.locator("ins").allInnerTexts()).toEqual(["df.head()"]);
    await card.getByText("Insert").click();
    expect(await readCell(page, 1)).toBe('df = pd.read_csv("a.csv")\ndf.head()');
    await page.getByRole("button", { name: "Undo" }).click();
    expect(await readCell(page, 1)).toBe('df = pd.read_csv("a.csv")');
  });

  it("explains why nothing can be inserted, and replaces only on request", async () => {
    const { page } = await start();
    await put(page, 1, "my_precious = 1\nmodel.fit(X_train, y_train)", "\nkeep = 1");
    await page.getByLabel("Mode").selectOption("similar");
    await settled(page);
    await page.locator("#hits .choose", { hasText: "a.ipynb [2]" }).click();
    const card = page.locator("#hits .hit.chosen", { hasText: "a.ipynb [2]" });
    expect(await card.locator(".problem").innerText()).toBe(
      "Nothing to insert: this cell does not continue what you typed.",
    );
    expect(await card.getByRole("button", { name: /^Insert/ }).isDisabled()).toBe(true);
    const shown = await card.locator("pre").innerText();
    await card.getByText("Replace cell").click();
    expect(await readCell(page, 1)).toBe(shown);
    await cell(page, 1).press("Control+z");
    expect(await readCell(page, 1)).toBe("my_precious = 1\nmodel.fit(X_train, y_train)\nkeep = 1");
  });

  it("adds a cell that was searched for below, never in place of another", async () => {
    const { page } = await start();
    await put(page, 1, "my_precious = compute()", "");
    await settled(page);
    const before = await page.locator("#query").innerText();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("fit model");
    const option = page.locator("#palette .option").first();
    await option.getByText("a.ipynb [2]").waitFor();
    expect(await option.locator("code").innerText()).toBe("model.fit(X_train, y_train)");
    // During typing, fewer words are marked.
    await expect.poll(() => option.locator("mark").allInnerTexts()).toEqual(["model", "fit"]);
    // The search does not change the suggestions.
    expect(await page.locator("#query").innerText()).toBe(before);
    await page.keyboard.press("Shift+Enter");
    expect([await readCell(page, 1), await readCell(page, 2)]).toEqual([
      "my_precious = compute()",
      "model.fit(X_train, y_train)",
    ]);
    await page.getByRole("button", { name: "Undo" }).click();
    expect(await page.locator("#cells .cell").count()).toBe(1);
  });

  it("makes cards inert while a newer question is under way, and cancels the older one", async () => {
    const { page } = await start();
    await put(page, 1, "df = pd.read_csv(", "");
    await page.locator("#hits .hit").first().waitFor();
    await settled(page);
    // A set, because on a busy machine each of the two keys may send its own request.
    const failed = new Set<string>();
    page.on("requestfailed", (request) => failed.add(new URL(request.url()).pathname));
    let isHeld = true;
    const held = new Set<string>();
    await page.route(/\/v1\/(completions|recommendations)$/, async (route) => {
      if (!isHeld) return route.continue();
      held.add(new URL(route.request().url()).pathname);
    });
    await page.keyboard.type('"b');
    expect(await page.locator("#hits").evaluate((list: Loose) => list.inert)).toBe(true);
    await page.keyboard.press("Control+Enter");
    expect(await readCell(page, 1)).toBe('df = pd.read_csv("b');
    await expect.poll(() => [...held].toSorted()).toEqual(["/v1/completions", "/v1/recommendations"]);
    isHeld = false;
    await page.keyboard.type(".");
    await expect.poll(() => [...failed].toSorted()).toEqual(["/v1/completions", "/v1/recommendations"]);
    await settled(page);
    expect(await readCell(page, 1)).toBe('df = pd.read_csv("b.');
  });

  it("restores a cell that was removed", async () => {
    const { page } = await start();
    await put(page, 1, "my_precious = compute()", "");
    await page.getByLabel("Remove cell 1").click();
    expect(await readCell(page, 1)).toBe("");
    await page.getByRole("button", { name: "Undo" }).click();
    expect(await readCell(page, 1)).toBe("my_precious = compute()");
  });
});

describe.skipIf(!hasBrowser)("ghost text on the page", () => {
  const ghost = (page: Page) => page.locator(".ghost");
  const TWICE = `${LOAD[1]}\ndf = pd.read_csv("a.csv")\n`;
  const FIT = "model.fit(X_train, y_train)";

  it("is the first card and what Ctrl+Shift+1 inserts; Tab takes all of it", async () => {
    const { page } = await start();
    await put(page, 1, `${FIT}\nmodel.fit(`, "");
    await settled(page);
    expect(await ghost(page).innerText()).toBe("X_train, y_train)");
    expect(await page.locator("#hits .hit").first().locator("ins").allInnerTexts()).toEqual(["X_train, y_train)"]);
    await page.keyboard.press("Tab");
    expect(await readCell(page, 1)).toBe(`${FIT}\nmodel.fit(X_train, y_train)`);
    await page.keyboard.press("Control+z");
    expect(await readCell(page, 1)).toBe(`${FIT}\nmodel.fit(`);
    await settled(page);
    await page.keyboard.press("Control+Shift+Digit1");
    expect(await readCell(page, 1)).toBe(`${FIT}\nmodel.fit(X_train, y_train)`);
  });

  it("inserts no bracket that already exists", async () => {
    const { page } = await start();
    await put(page, 1, `${FIT}\nmodel.fit(`, ")\nkeep = 1");
    await settled(page);
    expect(await ghost(page).innerText()).toBe("X_train, y_train");
    await page.keyboard.press("Control+Enter");
    expect(await readCell(page, 1)).toBe(`${FIT}\nmodel.fit(X_train, y_train)\nkeep = 1`);
  });

  it("is accepted token by token, and shrinks while the user types it", async () => {
    const { page } = await start();
    await put(page, 1, `${FIT}\nmodel.fit(`, "");
    await settled(page);
    await page.keyboard.press("Control+ArrowRight");
    expect(await readCell(page, 1)).toBe(`${FIT}\nmodel.fit(X_train`);
    expect(await ghost(page).innerText()).toBe(", y_train)");
    await page.keyboard.type(",");
    expect(await ghost(page).innerText()).toBe(" y_train)");
  });

  it("shows the next one on Alt+], as the first card does", async () => {
    const { page } = await start();
    await put(page, 1, TWICE, "");
    await settled(page);
    await page.keyboard.press("Alt+]");
    const next = await ghost(page).innerText();
    expect(next).not.toBe("df.head()");
    expect((await page.locator("#hits .hit").first().locator("ins").allInnerTexts()).join("\n")).toBe(next);
    await page.keyboard.press("Tab");
    expect(await readCell(page, 1)).toBe(TWICE + next);
  });

  it("disappears on Escape, another key or a cursor move, and never appears below its confidence", async () => {
    const { page } = await start();
    for (const key of ["Escape", "q", "ArrowLeft", "Backspace"]) {
      await put(page, 1, `${FIT}\nmodel.fit(`, "");
      await settled(page);
      expect(await ghost(page).count()).toBe(1);
      await page.route("**/v1/completions", (route) => route.abort());
      await page.keyboard.press(key);
      expect(await ghost(page).count()).toBe(0);
      await page.unroute("**/v1/completions");
    }
    await page.route("**/v1/completions", async (route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as { completions: { confidence: number }[] };
      const completions = answer.completions.map((each) => ({ ...each, confidence: 0.39 }));
      await route.fulfill({ json: { ...answer, completions } });
    });
    await put(page, 1, `${FIT}\nmodel.fit(`, "");
    await settled(page);
    expect(await ghost(page).count()).toBe(0);
    // The suggestion is only a card, and Tab does not insert a card.
    expect(await page.locator(".completion kbd").allInnerTexts()).toEqual(["Ctrl+Shift+1"]);
  });

  it("appears on a blank line and in an empty cell", async () => {
    const { page } = await start();
    await put(page, 1, TWICE, "");
    await settled(page);
    expect(await ghost(page).innerText()).toBe("df.head()");
    const asked: { prefix: string; context: { before: string[]; after: string[] } }[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/v1/completions")) asked.push(request.postDataJSON());
    });
    await page.keyboard.press("Shift+Enter");
    await settled(page);
    expect(asked.at(-1)).toMatchObject({ prefix: "", suffix: "", context: { before: [TWICE], after: [] } });
    await cell(page, 1).click();
    await expect.poll(() => asked.at(-1)).toMatchObject({ context: { before: [], after: [""] } });
  });
});
