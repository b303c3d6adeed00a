// Run after a change to the page: `npm run screenshot`. Writes docs/images/page.png, the picture of the README. Needs
// /usr/bin/chromium.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { serve } from "./load/server.js";

const CELLS = [
  "import pandas as pd\nfrom sklearn.model_selection import train_test_split",
  'customers = pd.read_csv("customers.csv")',
  'X = customers.drop(columns=["churned"])\ny = customers["churned"]',
  "X_train, X_test, ",
];

const folder = mkdtempSync(join(tmpdir(), "celrec-screenshot-"));
execFileSync(process.execPath, ["dist/src/cli/main.js", "index", "examples/notebooks", "--data", folder]);
const served = await serve(folder);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--headless", "--no-sandbox"] });
try {
  const page = await browser.newPage({ viewport: { width: 1240, height: 720 }, colorScheme: "light" });
  await page.goto(served.url);
  for (const cell of CELLS) {
    await page.keyboard.type(cell);
    if (cell !== CELLS.at(-1)) await page.keyboard.press("Shift+Enter");
  }
  await page.locator(".ghost", { hasText: "train_test_split(" }).waitFor();
  await page.locator('#hits[aria-busy="false"] .hit.chosen .brought').first().waitFor();
  await page.screenshot({ path: "docs/images/page.png" });
} finally {
  await browser.close();
  await served.stop();
  rmSync(folder, { recursive: true, force: true });
}
