import { element, showShare } from "./dom.js";

/** What the features of the ranking mean to somebody who reads a hit. */
export const WORDS: Readonly<Record<string, string>> = {
  cosine: "does much the same",
  bm25: "shares rare words",
  coverage: "holds your words",
  "fixed-coverage": "holds the calls and arguments you wrote",
  "pair-coverage": "has your words side by side",
  "early-coverage": "starts with your words",
  "last-line": "holds the line you are typing",
  remarks: "its comments speak of this",
  "lines-in-order": "has your lines, in your order",
  "same-lines": "has the very lines you wrote",
  "first-line": "starts with the same line",
  "first-shape": "starts alike, but for the names",
  longer: "is longer than what you wrote",
  shorter: "is shorter than what you wrote",
  long: "is a long cell",
  "unlike-length": "is longer or shorter than your cells",
  comments: "is mostly comments",
  "known-calls": "calls what your notebook calls",
  "done-calls": "does what your notebook did once already",
  "open-call": "makes the call you are in",
  "added-calls": "brings new calls",
  "shared-calls": "calls what you call",
  "common-calls": "calls what cells like it call",
  "before-cosine": "goes with the cells before",
  "before-bm25": "shares rare words with the cells before",
  "before-coverage": "uses words of the cells before",
  "markdown-cosine": "goes with your Markdown",
  "markdown-bm25": "shares rare words with your Markdown",
  "markdown-coverage": "uses words of your Markdown",
  follows: "stood behind a cell like your last one",
  "mixed-cosine": "goes with your code and what is above it",
  "typed-length": "suits how much you wrote so far",
  "repeated-lines": "repeats lines you wrote",
  "words-behind": "goes on for long enough",
  "share-behind": "is mostly what is still to come",
  "known-behind": "goes on in the words of your notebook",
};

const MOST = 6;
const LEAST = 0.01;

/** What speaks for the hit, and what against it, strongest first, as bars. */
export function renderWhy(why: Readonly<Record<string, number>>, rank: number): HTMLElement {
  const shares = Object.entries(why)
    .filter(([, share]) => Math.abs(share) > LEAST)
    .sort(([, one], [, other]) => Math.abs(other) - Math.abs(one))
    .slice(0, MOST);
  const most = Math.max(...shares.map(([, share]) => Math.abs(share)), LEAST);
  const rows = shares.map(([feature, share]) => {
    const bar = element("span", share < 0 ? "share against" : "share");
    bar.style.setProperty("--share", String(Math.abs(share) / most));
    const amount = element("span", "amount", `${share < 0 ? "−" : "+"}${showShare(Math.abs(share))}`);
    return element("li", "", element("span", "", WORDS[feature] ?? feature), bar, amount);
  });
  const list = element("ul", "why", ...rows);
  list.setAttribute("aria-label", `What counted for recommendation ${rank}`);
  return element("details", "", element("summary", "", "Why this one?"), list);
}
