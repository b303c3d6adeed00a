import { existsSync } from "node:fs";
import { type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { type Loose, type Service, startService } from "../http/service.js";
import { requires } from "../require.js";

const CHROMIUM = "/usr/bin/chromium";
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];
const QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];
export const hasBrowser = requires("chromium", existsSync(CHROMIUM), `install Chromium as ${CHROMIUM}`);

/** A page of the service, with all messages and errors of its console. */
export async function openPage(
  env: Record<string, string> = {},
  options: BrowserContextOptions = {},
): Promise<{ service: Service; page: Page; troubles: string[] }> {
  const service = await startService({ CELREC_FEEDBACK: "on", ...env });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS, ...QUIET] });
  onTestFinished(() => browser.close());
  const page = await browser.newPage(options);
  const troubles: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) troubles.push(message.text());
  });
  page.on("pageerror", (error) => troubles.push(error.message));
  return { service, page, troubles };
}

/** Waits until the cards belong to the typed text. */
export const settled = (page: Page): Promise<void> =>
  page.locator('#hits[aria-busy="false"]').waitFor({ state: "attached" });

export const cell = (page: Page, number: number) => page.getByLabel(`Cell ${number}`, { exact: true });
/** The text of a cell without ghost text. */
export const readCell = (page: Page, number: number): Promise<string> =>
  cell(page, number).evaluate((content: Loose) => {
    const copy = content.cloneNode(true);
    for (const ghost of copy.querySelectorAll(".ghost, .cm-widgetBuffer")) ghost.remove();
    return [...copy.querySelectorAll(".cm-line")].map((line: Loose) => line.textContent).join("\n");
  });
