// Run after a change to the page: `node dist/scripts/bench-page.js INDEX`. Opens the playground of a service over that
// index in Chromium. Measures the first paint, the time from the last key to a visible recommendation, and the
// compressed size of the script.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { chromium, type Page } from "playwright-core";
import { printRows, quantile, type Row } from "./bench/table.js";
import { serve } from "./load/server.js";

const ROUNDS = 10;
const KEYS = ["df = pd.read_csv(", "model = RandomForest", "plt.figure(fig", "from sklearn.", "df.groupby("];
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("name the folder of an index");

const group = "the playground";
const served = await serve(folder);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--headless", "--no-sandbox"] });
try {
  const paints: number[] = [];
  const shown: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const page = await browser.newPage();
    await page.goto(served.url);
    await page.getByLabel("Cell 1", { exact: true }).waitFor();
    paints.push(await page.evaluate('performance.getEntriesByName("first-contentful-paint")[0].startTime'));
    shown.push(await timeToHit(page, KEYS[round % KEYS.length]!));
    await page.close();
  }
  const bytes = gzipSync(readFileSync("web/app.js")).length / 1024;
  const rows: Row[] = [
    { group, name: "first paint p50", value: quantile(paints, 0.5), unit: "ms", limit: { atMost: 1_000 } },
    { group, name: "first paint, slowest", value: Math.max(...paints), unit: "ms" },
    { group, name: "last key to recommendation p50", value: quantile(shown, 0.5), unit: "ms", limit: { atMost: 150 } },
    { group, name: "last key to recommendation, slowest", value: Math.max(...shown), unit: "ms" },
    { group, name: "script, compressed", value: bytes, unit: "KB", limit: { atMost: 350 } },
  ];
  printRows(rows);
} finally {
  await browser.close();
  await served.stop();
}

/** Milliseconds from the last keystroke to the first frame with the changed list. */
async function timeToHit(page: Page, text: string): Promise<number> {
  await page.keyboard.type(text.slice(0, -1));
  await page.locator("#hits .hit, #query:not(:empty)").first().waitFor();
  await page.waitForTimeout(300);
  await page.evaluate(`
    void (globalThis.took = new Promise((resolve) => {
      let from = 0;
      document.addEventListener("keydown", () => { from = performance.now(); }, { capture: true, once: true });
      new MutationObserver((_, observer) => {
        observer.disconnect();
        requestAnimationFrame(() => resolve(performance.now() - from));
      }).observe(document.querySelector(".hits"), { childList: true, subtree: true });
    }))`);
  await page.keyboard.type(text.slice(-1));
  return page.evaluate("globalThis.took");
}
