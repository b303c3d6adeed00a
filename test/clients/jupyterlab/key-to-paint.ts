// Run with `npm run bench` in clients/jupyterlab. Measures the time from a key press to the painted frame in a notebook
// of 500 cells, with and without the panel, and the time from a key press to the ghost text.
import type { Page } from "playwright-core";
import { GHOST_PAUSE_MS } from "../../../clients/jupyterlab/src/offers.js";
import { notebookText, startJupyter } from "./jupyter-server.js";
import { launchBrowser, openNotebook } from "./notebook-page.js";

const CELLS = 500;
const TYPED =
  "frame = pd.read_csv(path).dropna().groupby('region').agg({'price': 'mean'}).sort_values('price').head(20)\n";
/** Milliseconds between keys. Even fast typists need twice as long. */
const KEY_MS = 60;
/** Milliseconds between keys while the delay of ghost text is measured. */
const GHOST_KEY_MS = 400;

/** Runs in the page. A message sent in an animation frame arrives after the frame is painted. */
const WATCH = `
  window.times = [];
  window.stop = new AbortController();
  const starts = [];
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => times.push(performance.now() - starts.shift());
  const onKey = (event) => {
    starts.push(event.timeStamp);
    requestAnimationFrame(() => port2.postMessage(null));
  };
  window.addEventListener("keydown", onKey, { capture: true, signal: window.stop.signal });
`;

/** Runs in the page. Records when keys were pressed, and when ghost text was painted. */
const WATCH_GHOST = `
  performance.clearResourceTimings();
  performance.setResourceTimingBufferSize(2000);
  window.keys = [];
  window.paints = [];
  window.stop = new AbortController();
  window.addEventListener("keydown", (event) => keys.push(event.timeStamp), { capture: true, signal: window.stop.signal });
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => paints.push(performance.now());
  const isShown = () => [...document.querySelectorAll(".jp-GhostText")].some(({ textContent }) => textContent.trim() !== "");
  const observer = new MutationObserver(() => {
    if (isShown()) requestAnimationFrame(() => port2.postMessage(null));
  });
  observer.observe(document.querySelector(".jp-Notebook"), { childList: true, subtree: true, characterData: true });
  window.stop.signal.addEventListener("abort", () => observer.disconnect());
`;
/** Runs in the page. Gives the first paint after the answer to each key, without the pause before the request. */
const READ_GHOST = `
  window.stop.abort();
  const answers = performance.getEntriesByType("resource").filter(({ name }) => name.includes("celrec/v1/completions"));
  keys.flatMap((key, at) => {
    const isOfKey = (time) => time > key && time < (keys[at + 1] ?? Infinity);
    const answer = answers.find(({ startTime, responseEnd }) => isOfKey(startTime) && isOfKey(responseEnd));
    const paint = answer && paints.find((time) => time >= answer.responseEnd && isOfKey(time));
    return paint === undefined ? [] : [paint - key - ${GHOST_PAUSE_MS}];
  });
`;

const sources = Array.from({ length: CELLS - 1 }, (_, at) =>
  at % 10 === 0
    ? `# Part ${at / 10}`
    : `frame_${at} = pd.read_csv("part-${at}.csv")\nframe_${at} = frame_${at}.dropna(subset=["price"])\nframe_${at}.groupby("region")["price"].mean()`,
);
const files = { "large.ipynb": notebookText(["import pandas as pd", ...sources.slice(0, -1), ""]) };

const server = await startJupyter(files, { settings: { labels: true } });
const browser = await launchBrowser();
try {
  const page = await openNotebook(browser, server, "large.ipynb");
  await goToEnd(page);
  await measure(page);
  const open = await measure(page);
  await page.locator('[data-id="celrec-panel"]').click();
  const closed = await measure(page);
  await page.locator('[data-id="celrec-panel"]').click();
  const ghosts = await measureGhosts(page);
  console.log(`key to paint, ${CELLS} cells, ${open.length} keys, milliseconds`);
  console.log(`panel open:   ${describe(open)}`);
  console.log(`panel closed: ${describe(closed)}`);
  console.log(
    `key to ghost text without the pause of ${GHOST_PAUSE_MS} ms, ${ghosts.length} times: ${describe(ghosts)}`,
  );
} finally {
  await browser.close();
  await server.stop();
}

/** Goes to the last cell by the map of the notebook. */
async function goToEnd(page: Page): Promise<void> {
  await page.locator(".jp-celrec-Task").last().click();
  await page.locator(".jp-Notebook .jp-CodeCell.jp-mod-active .cm-content").click();
}

/** Types the line twice and gives the time from each key to the frame that shows it. */
async function measure(page: Page): Promise<number[]> {
  await page.evaluate(`{${WATCH}}`);
  await page.keyboard.type(TYPED.repeat(2), { delay: KEY_MS });
  await page.waitForTimeout(1000);
  return page.evaluate<number[]>("window.stop.abort(), window.times");
}

/** Types slowly, and gives the time from each key to its ghost text. */
async function measureGhosts(page: Page): Promise<number[]> {
  await page.locator(".jp-Notebook .jp-CodeCell.jp-mod-active .cm-content").click();
  // JupyterLab asks for ghost text only at the end of a line.
  await page.keyboard.press("Control+End");
  await page.evaluate(`{${WATCH_GHOST}}`);
  await page.keyboard.type(TYPED, { delay: GHOST_KEY_MS });
  return page.evaluate<number[]>(READ_GHOST);
}

function describe(times: readonly number[]): string {
  const sorted = [...times].sort((one, other) => one - other);
  if (sorted.length === 0) return "none";
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!.toFixed(1);
  return `median ${at(0.5)}, 95 % ${at(0.95)}, most ${at(1)}`;
}
