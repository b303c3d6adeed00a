import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium, type Locator, type Page } from "playwright-core";
import type { Loose } from "../../http/service.js";
import type { JupyterServer } from "./jupyter-server.js";

export const CHROMIUM = "/usr/bin/chromium";
export const hasChromium = existsSync(CHROMIUM);
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];
const QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS, ...QUIET] });
}

/** Opens a notebook in JupyterLab with the panel, and closes everything else. */
export async function openNotebook(browser: Browser, server: JupyterServer, path: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(60_000);
  await page.goto(`${server.url}lab/tree/${path}?reset&token=${server.token}`);
  await page.locator(".jp-Notebook").first().waitFor();
  await page.getByText("Python 3 (ipykernel) | Idle").waitFor();
  if (!(await page.locator(".jp-celrec-Panel").isVisible())) await page.locator('[data-id="celrec-panel"]').click();
  await page.locator(".jp-celrec-Stats", { hasText: "cells of" }).waitFor();
  return page;
}

/** A code cell by its number. */
export function codeCell(page: Page, at: number) {
  const cell = page.locator(".jp-CodeCell").nth(at);
  return { cell, editor: cell.locator(".jp-InputArea .cm-content"), output: cell.locator(".jp-OutputArea-output") };
}

/** Waits until the cards belong to the typed text. */
export const settled = (page: Page): Promise<void> =>
  page.locator(".jp-celrec-Panel:not(.jp-mod-asking)").waitFor({ state: "attached" });

/** The text of an editor without ghost text. */
export const readSource = (editor: Locator): Promise<string> =>
  editor.evaluate((content: Loose) =>
    [...content.querySelectorAll(".cm-line")]
      .map((line: Loose) => {
        const copy = line.cloneNode(true);
        for (const ghost of copy.querySelectorAll(".jp-GhostText")) ghost.remove();
        return copy.textContent;
      })
      .join("\n"),
  );

/** Sends a request to Jupyter with the token in a header, like a script. */
export async function ask(server: JupyterServer, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `token ${server.token}`, "content-type": "application/json", ...init.headers };
  return fetch(`${server.url}${path}`, { ...init, headers });
}

/** Pictures for the documentation, only if a folder for them is named. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.CELREC_TEST_PICTURES;
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
}
