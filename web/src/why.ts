import { element, showShare } from "./dom.js";

/** Descriptions of the ranking features for users. */
export const WORDS: Readonly<Record<string, string>> = {
  cosine: "does nearly the same thing",
  bm25: "shares rare words",
  coverage: "contains your words",
  "fixed-coverage": "contains the calls and arguments you wrote",
  "pair-coverage": "contains your words next to each other",
  "early-coverage": "starts with your words",
  "last-line": "contains the line you are typing",
  remarks: "has comments about this",
  "lines-in-order": "has your lines, in your order",
  "same-lines": "contains exactly the lines you wrote",
  "first-line": "starts with the same line",
  "first-shape": "starts the same, except for names",
  longer: "is longer than what you wrote",
  shorter: "is shorter than what you wrote",
  long: "is a long cell",
  "unlike-length": "is longer or shorter than your cells",
  comments: "is mostly comments",
  "known-calls": "calls functions that your notebook calls",
  "done-calls": "repeats a step that your notebook already has",
  "open-call": "makes the call at your cursor",
  "added-calls": "adds new calls",
  "shared-calls": "adds calls that other suggestions add, too",
  "common-calls": "adds calls that many suggestions make",
  "before-cosine": "fits the cells before",
  "before-bm25": "shares rare words with the cells before",
  "before-coverage": "uses words of the cells before",
  "markdown-cosine": "fits your Markdown",
  "markdown-bm25": "shares rare words with your Markdown",
  "markdown-coverage": "uses words of your Markdown",
  follows: "followed a cell like your last one",
  "mixed-cosine": "fits your code and the cells above",
  "typed-length": "fits the length of your code so far",
  "repeated-lines": "repeats lines you wrote",
  "words-behind": "continues for several lines",
  "share-behind": "is mostly new code",
  "known-behind": "continues with words of your notebook",
};

const MAX_SHOWN = 6;
const MIN_SHARE = 0.01;

/** The reasons for and against the hit as bars, strongest first; initially hidden. */
export function renderWhy(why: Readonly<Record<string, number>>): HTMLElement {
  const shares = Object.entries(why)
    .filter(([, share]) => Math.abs(share) > MIN_SHARE)
    .sort(([, one], [, other]) => Math.abs(other) - Math.abs(one))
    .slice(0, MAX_SHOWN);
  const most = Math.max(...shares.map(([, share]) => Math.abs(share)), MIN_SHARE);
  const rows = shares.map(([feature, share]) => {
    const bar = element("span", share < 0 ? "share against" : "share");
    bar.style.setProperty("--share", String(Math.abs(share) / most));
    const amount = element("span", "amount", `${share < 0 ? "−" : "+"}${showShare(Math.abs(share))}`);
    return element("li", "", element("span", "", WORDS[feature] ?? feature), bar, amount);
  });
  const box = element(
    "div",
    "why",
    element("p", "hint", "Reasons, as shares of the score"),
    element("ul", "", ...rows),
  );
  box.hidden = true;
  return box;
}
