import { readFileSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import type { Loose } from "../http/service.js";

/** Number of cursor positions tried with each client. */
export const PLACES = 200;

const SAMPLES = ["loan-default-risk", "bike-rental-demand", "house-prices-regression", "ship-survival-submission"];

/** The code cells of sample notebooks. */
export function readSamples(): { name: string; cells: string[] }[] {
  return SAMPLES.map((name) => {
    const notebook = JSON.parse(readFileSync(`examples/notebooks/${name}.ipynb`, "utf8")) as {
      cells: { cell_type: string; source: string | string[] }[];
    };
    const code = notebook.cells.filter(({ cell_type }) => cell_type === "code").map(({ source }) => [source].flat());
    return { name, cells: code.map((lines) => lines.join("")).filter((text) => text.trim() !== "") };
  });
}

/** A cursor in a cell. */
interface RandomPlace {
  readonly prefix: string;
  readonly suffix: string;
}

/**
 * Random cursors in cells of the samples. They are the same in every run. Half of them are at the end of a cell, as
 * during typing.
 */
export function createPlaces(seed: number): { random: (limit: number) => number; places: readonly RandomPlace[] } {
  const random = createRandom(seed);
  const sources = readSamples()
    .flatMap(({ cells }) => cells)
    .filter((text) => text.length < 1_000 && !text.startsWith("%%"));
  const places = Array.from({ length: PLACES }, () => {
    const source = sources[random(sources.length)]!;
    const cut = random(source.length + 1);
    return { prefix: source.slice(0, cut), suffix: random(2) === 0 ? "" : source.slice(cut) };
  });
  return { random, places };
}

/** Numbers from 0 to below a limit. */
function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/**
 * The lost part of the typed text, if any. New text is allowed at the top (imports), at the cursor and after its line.
 */
export function findLoss(text: string, { prefix, suffix }: RandomPlace): string | null {
  const end = suffix.indexOf("\n") === -1 ? suffix.length : suffix.indexOf("\n");
  const [line, below] = [suffix.slice(0, end), suffix.slice(end)];
  let lost: string = prefix;
  for (const start of startsAfterImports(text)) {
    if (!text.startsWith(prefix, start)) continue;
    const rest = text.slice(start + prefix.length);
    if (!rest.endsWith(below)) lost = below;
    else if (!rest.slice(0, rest.length - below.length).includes(line)) lost = line;
    else return null;
  }
  return lost;
}

/** The start of the text, and the end of each import at its top. */
function startsAfterImports(text: string): number[] {
  const starts = [0];
  for (const [line] of text.matchAll(/(?:import|from) .*\n/gy)) starts.push(starts.at(-1)! + line.length);
  return starts;
}

/** Replaces the text of a CodeMirror editor, as pastes before and after the cursor do. */
export async function putAround(page: Page, content: Locator, { prefix, suffix }: RandomPlace): Promise<void> {
  await content.focus();
  const paste = (text: string) =>
    content.evaluate((node, pasted) => {
      const { DataTransfer: Data, ClipboardEvent: Paste } = globalThis as Loose;
      const data = new Data();
      data.setData("text/plain", pasted);
      node.dispatchEvent(new Paste("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    }, text);
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  if (suffix !== "") await paste(suffix);
  await page.keyboard.press("Control+Home");
  if (prefix !== "") await paste(prefix);
}
