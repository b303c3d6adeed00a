// Run after a change to the page: `npm run screenshot`. Writes docs/images/page.png, the picture of the README. Needs
// /usr/bin/chromium.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { serve } from "./load/server.js";

const folder = mkdtempSync(join(tmpdir(), "celrec-screenshot-"));
execFileSync(process.execPath, ["dist/src/cli/main.js", "index", "examples/notebooks", "--data", folder]);
const served = await serve(folder);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--headless", "--no-sandbox"] });
try {
  const page = await browser.newPage({ viewport: { width: 1240, height: 720 }, colorScheme: "light" });
  await page.goto(served.url);
  await page.keyboard.type("import pandas as pd\nimport seaborn as sns\nfrom sklearn.metrics import confusion_matrix");
  await page.keyboard.press("Shift+Enter");
  await page.getByLabel("Cell 2", { exact: true }).click();
  await page.keyboard.type("pred = model.predict(X_test)\ncm = confusion_matrix(y_test, pred)");
  await page.locator("#hits .hit.chosen .brought", { hasText: "heatmap" }).first().waitFor();
  await page.screenshot({ path: "docs/images/page.png" });
} finally {
  await browser.close();
  await served.stop();
  rmSync(folder, { recursive: true, force: true });
}
