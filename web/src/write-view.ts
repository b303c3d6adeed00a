import { CARD_CONFIDENCE, isGhostText } from "../../clients/jupyterlab/src/offers.js";
import type { Answer } from "../../src/ask/client.js";
import { type CursorContext, createCells, type Undo } from "./cells.js";
import { button, element, find, plural, showLabel, showShare } from "./dom.js";
import { type Completion, createSuggestions, type HitActions, suggestCell, suggestCompletion } from "./hits.js";
import { askForToken, service } from "./service.js";
import { loadNotebook, saveNotebook } from "./storage.js";

const PAUSE_MS = 50;
const HITS = 5;
/**
 * Number of completions (Alt+] shows the ones after the first), and the minimum confidence for ghost text and for a
 * card.
 */
const COMPLETION_LIMITS = { k: 3, minConfidence: 0.4, fallbackConfidence: CARD_CONFIDENCE } as const;
/** Milliseconds after which a visible list counts as seen. */
const MIN_VISIBLE_MS = 1_000;

/** Example notebooks; all cells except the last are complete. */
const EXAMPLES: readonly { readonly name: string; readonly cells: readonly string[] }[] = [
  { name: "Read a file", cells: ["import pandas as pd", "df = pd.read_csv("] },
  {
    name: "Split and train",
    cells: ["import pandas as pd\nfrom sklearn.model_selection import train_test_split", "X_train, X_test, "],
  },
  {
    name: "Confusion matrix",
    cells: [
      "import seaborn as sns\nfrom sklearn.metrics import confusion_matrix",
      "pred = model.predict(X_test)\ncm = confusion_matrix(y_test, pred)\n",
    ],
  },
  { name: "Plot a histogram", cells: ["import matplotlib.pyplot as plt", "plt.figure("] },
];

/** The notebook being written, and the suggestions for it. */
export function createWriteView() {
  const [hitList, query, done, examples] = [find("hits"), find("query"), find("done"), find("examples")];
  const [mode, label] = [find<HTMLSelectElement>("mode"), find<HTMLSelectElement>("label")];
  const markdown = find<HTMLTextAreaElement>("markdown");
  const isFeedbackKept = document.documentElement.dataset.feedback === "on";
  let asking: AbortController | null = null;
  let timer = 0;
  let shown: Answer | null = null;
  let seen = 0;
  let completions: readonly Completion[] = [];
  let typed: CursorContext | null = null;

  const report = (error: unknown) => {
    if ((error as Error).name === "AbortError") return;
    suggestions.show([]);
    setBusy(false);
    if (!askForToken(error)) query.textContent = (error as Error).message;
  };
  const sendFeedback = (rank: number | null, event: "shown" | "accepted") => {
    if (!isFeedbackKept || rank === null || shown === null) return;
    void service().feedback({ recommendation: shown.id, rank, event }).catch(report);
  };
  /** Suggestions for an older question are disabled. */
  const setBusy = (isBusy: boolean) => {
    hitList.inert = isBusy;
    hitList.setAttribute("aria-busy", String(isBusy));
  };
  const offerUndo = (text: string, undo: Undo) => {
    const take = button("Undo", () => {
      done.replaceChildren();
      undo();
    });
    done.replaceChildren(text, " ", take);
  };
  const use = (rank: number | null, text: string, act: () => Undo) => {
    location.hash = "#write";
    offerUndo(text, act());
    sendFeedback(rank, "accepted");
  };
  const actions: HitActions = {
    onInsert: ({ rank, plan }) => use(rank, "Inserted.", () => cells.insert(plan.insertions)),
    onReplace: ({ rank, code }) => use(rank, "Cell replaced.", () => cells.replace(code)),
    onNewCell: ({ rank, code }) => use(rank, "Cell added.", () => cells.addBelow(code)),
    onCopy({ rank, code }) {
      void navigator.clipboard.writeText(code).then(() => done.replaceChildren("Copied."), report);
      sendFeedback(rank, "accepted");
    },
  };
  const suggestions = createSuggestions(hitList, actions, () => cells.focus());

  /** At most one request is in progress; the next key cancels it, in the service, too. */
  const askSoon = () => {
    clearTimeout(timer);
    asking?.abort();
    setBusy(true);
    done.replaceChildren();
    timer = window.setTimeout(() => {
      saveNotebook({ markdown: markdown.value, cells: cells.texts() });
      void ask().catch(report);
    }, PAUSE_MS);
  };
  const cells = createCells({
    onChange: askSoon,
    onTake: (at) => void (at === undefined ? suggestions.takeChosen() : suggestions.take(at)),
    onLeave: () => {
      if (!hitList.inert) suggestions.focus();
    },
    onGhost: showCompletion,
    onRemove: (undo) => offerUndo("Cell removed.", undo),
  });

  async function ask(): Promise<void> {
    asking = new AbortController();
    const { signal } = asking;
    typed = cells.read();
    completions = [];
    const { prefix, suffix, before, after } = typed;
    const heading = markdown.value.trim() === "" ? {} : { markdown: markdown.value };
    const isEmpty = [prefix, suffix, markdown.value, ...before, ...after].every((part) => part.trim() === "");
    examples.hidden = !isEmpty;
    if (isEmpty) {
      suggestions.show([]);
      setBusy(false);
      query.textContent = "Type some Python, or choose an example. Suggestions appear here.";
      return;
    }
    const context = { before: [...before], ...heading };
    const chosen = mode.value as "auto" | "complete" | "next" | "similar";
    const within = label.value === "" ? {} : { label: label.value };
    const question = { code: prefix, suffix, k: HITS, mode: chosen, context, explain: true, ...within };
    const [answer] = await Promise.all([service().recommend(question, { signal }), complete(typed, heading, signal)]);
    if (!signal.aborted) show(answer);
  }

  /** The ghost text does not wait for the list. */
  async function complete({ prefix, suffix, before, after }: CursorContext, heading: object, signal: AbortSignal) {
    const context = { before: [...before], after: [...after], ...heading };
    const answer = await service().complete({ prefix, suffix, ...COMPLETION_LIMITS, context }, { signal });
    if (signal.aborted) return;
    completions = answer.completions;
    cells.showGhost(isGhostText(completions, COMPLETION_LIMITS) ? completions.map((each) => each.text) : []);
  }

  /** The first suggestion is the ghost text. */
  function showCompletion(text: string | null): void {
    if (hitList.inert || text === null || typed === null) return;
    const from = completions.find((each) => each.text === text)?.from;
    if (from !== undefined) suggestions.replaceFirst(suggestCompletion({ text, from }, typed.prefix, true));
  }

  function show(answer: Answer): void {
    shown = answer;
    const { recommendations, query: about, took, highestConfidence } = answer;
    const at = typed ?? cells.read();
    const isGhost = isGhostText(completions, COMPLETION_LIMITS);
    const first = completions.slice(0, 1).map((each) => suggestCompletion(each, at.prefix, isGhost));
    const hits = recommendations.map((hit) => suggestCell(hit, at));
    // Cells that can only become new cells come after cells that can be inserted here.
    const cellsFound = [true, false].flatMap((fits) =>
      hits.filter(({ offer }) => (offer.plan.problem === null) === fits),
    );
    const all = [...first, ...cellsFound];
    const found = all.length === 0 ? describeEmpty(highestConfidence) : plural(all.length, "suggestion");
    const doing = about.labels.map((each) => showLabel(each.label)).join(", ");
    const task = doing === "" ? "" : ` · this cell looks like: ${doing}`;
    query.textContent = `${found} in ${Math.round(took.total ?? 0)} ms${task}`;
    suggestions.show(all);
    setBusy(false);
    clearTimeout(seen);
    seen = window.setTimeout(() => {
      for (const { rank } of recommendations) sendFeedback(rank, "shown");
    }, MIN_VISIBLE_MS);
  }

  const replaceNotebook = (heading: string, texts: readonly string[], said: string) => {
    const old = markdown.value;
    markdown.value = heading;
    const undo = cells.replaceAll(texts);
    offerUndo(said, () => {
      markdown.value = old;
      undo();
    });
  };
  for (const field of [mode, label, markdown]) field.addEventListener("input", askSoon);
  find("add").addEventListener("click", () => cells.add());
  find("clear").addEventListener("click", () => replaceNotebook("", [""], "Notebook cleared."));
  find("sheet").addEventListener("click", ({ target }) => {
    if (target === find("sheet")) cells.focusLast();
  });
  const chips = EXAMPLES.map((example) =>
    button(example.name, () => replaceNotebook("", example.cells, "Example opened."), "chip"),
  );
  examples.append(element("p", "hint", "Start typing, or open an example:"), element("p", "chips", ...chips));

  return {
    askSoon,
    actions,
    report,
    addCell: () => {
      location.hash = "#write";
      cells.add();
    },
    clear: () => find("clear").click(),
    start(): void {
      const saved = loadNotebook();
      markdown.value = saved?.markdown ?? "";
      cells.replaceAll(saved?.cells ?? [""]);
    },
  };
}

function describeEmpty(highest: number | null): string {
  return highest === null ? "Nothing found" : `No good match (best: ${showShare(highest)})`;
}
