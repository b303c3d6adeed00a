import type { Answer } from "../../src/ask/client.js";
import { createCells, type Typed, type Undo } from "./cells.js";
import { button, find, plural, showLabel, showShare } from "./dom.js";
import { type Completion, type HitActions, type Offer, renderCompletion, renderFound, renderHit } from "./hits.js";
import { openNotebook } from "./notebook-view.js";
import { askForToken, service } from "./service.js";

const PAUSE_MS = 50;
const HITS = 5;
/** The first, and what Alt+] shows after it. */
const COMPLETIONS = 3;
/** The first completion needs this confidence to be shown. */
const MIN_GHOST_CONFIDENCE = 0.4;
/** A list that was visible for a shorter time was not read. */
const SEEN_MS = 1_000;

/** The notebook being written, and the recommendations for it. */
export function createWriteView() {
  const [hitList, query, done] = [find("hits"), find("query"), find("done")];
  const [mode, label] = [find<HTMLSelectElement>("mode"), find<HTMLSelectElement>("label")];
  const words = find<HTMLInputElement>("words");
  const markdown = find<HTMLTextAreaElement>("markdown");
  const isFeedbackKept = document.documentElement.dataset.feedback === "on";
  let asking: AbortController | null = null;
  let timer = 0;
  let shown: Answer | null = null;
  let seen = 0;
  let completions: readonly Completion[] = [];
  let typed: Typed | null = null;

  const report = (error: unknown) => {
    if ((error as Error).name === "AbortError") return;
    hitList.replaceChildren();
    setBusy(false);
    if (!askForToken(error)) query.textContent = (error as Error).message;
  };
  const sendFeedback = (rank: number | null, event: "shown" | "accepted") => {
    if (!isFeedbackKept || rank === null || shown === null || words.value.trim() !== "") return;
    void service().feedback({ recommendation: shown.id, rank, event }).catch(report);
  };
  /** Cards that answer an older question cannot be used. */
  const setBusy = (isBusy: boolean) => {
    hitList.inert = isBusy;
    hitList.setAttribute("aria-busy", String(isBusy));
  };
  const offerUndo = (text: string, undo: Undo) => {
    const take = button("Undo", "", () => {
      done.replaceChildren();
      undo();
    });
    done.replaceChildren(text, " ", take);
  };
  const use = (offer: Offer, text: string, act: () => Undo) => {
    location.hash = "#write";
    const undo = act();
    offerUndo(text, undo);
    sendFeedback(offer.rank, "accepted");
  };
  const actions: HitActions = {
    onInsert: (offer) => use(offer, "Inserted.", () => cells.insert(offer.plan?.insertions ?? [])),
    onReplace: (offer) => use(offer, "Cell replaced.", () => cells.replace(offer.code)),
    onNewCell: (offer) => use(offer, "Cell added.", () => cells.addBelow(offer.code)),
    onCopy(offer) {
      void navigator.clipboard.writeText(offer.code).then(() => done.replaceChildren("Copied."), report);
      sendFeedback(offer.rank, "accepted");
    },
    onOpen: (notebook, cellIndex) => void openNotebook(notebook, cellIndex).catch(report),
  };

  /** At most one question is on its way: the next key cancels it, in the service, too. */
  const askSoon = () => {
    clearTimeout(timer);
    asking?.abort();
    setBusy(true);
    done.replaceChildren();
    timer = window.setTimeout(() => void ask().catch(report), PAUSE_MS);
  };
  const cells = createCells({
    onChange: askSoon,
    onTake: () => {
      if (!hitList.inert) hitList.querySelector<HTMLElement>("button.primary:enabled")?.click();
    },
    onGhost: showCompletion,
    onRemove: (undo) => offerUndo("Cell removed.", undo),
  });

  async function ask(): Promise<void> {
    asking = new AbortController();
    const { signal } = asking;
    const text = words.value.trim();
    const within = label.value === "" ? {} : { label: label.value };
    typed = cells.read();
    completions = [];
    const { prefix, suffix, before, after } = typed;
    const heading = markdown.value.trim() === "" ? {} : { markdown: markdown.value };
    const isEmpty = [prefix, suffix, markdown.value, ...before, ...after].every((part) => part.trim() === "");
    const completed = isEmpty ? Promise.resolve() : complete(typed, heading, signal);
    if (text !== "") {
      const [found] = await Promise.all([service().search({ text, k: 10, ...within }, { signal }), completed]);
      if (signal.aborted) return;
      query.textContent = `${plural(found.cells.length, "cell")} with these words`;
      hitList.replaceChildren(...found.cells.map((hit) => renderFound(hit, actions)));
      setBusy(false);
      return;
    }
    if (isEmpty) {
      hitList.replaceChildren();
      setBusy(false);
      query.textContent = "Type some Python on the left, such as df = pd.read_csv(";
      return;
    }
    const chosen = mode.value as "auto" | "complete" | "next" | "similar";
    const context = { before: [...before], ...heading };
    const question = { code: prefix, k: HITS, mode: chosen, context, explain: true, ...within };
    const [answer] = await Promise.all([service().recommend(question, { signal }), completed]);
    if (!signal.aborted) show(answer);
  }

  /** The ghost text does not wait for the cards. */
  async function complete({ prefix, suffix, before, after }: Typed, heading: object, signal: AbortSignal) {
    const context = { before: [...before], after: [...after], ...heading };
    const request = { prefix, suffix, k: COMPLETIONS, minConfidence: MIN_GHOST_CONFIDENCE, context };
    const answer = await service().complete(request, { signal });
    if (signal.aborted) return;
    completions = (answer.completions[0]?.confidence ?? 0) >= MIN_GHOST_CONFIDENCE ? answer.completions : [];
    cells.showGhost(completions.map((each) => each.text));
  }

  /** The first card is the ghost text. */
  function showCompletion(text: string | null): void {
    if (hitList.inert || text === null || typed === null) return;
    const from = completions.find((each) => each.text === text)?.from;
    const card = hitList.querySelector(".completion");
    if (from !== undefined) card?.replaceWith(renderCompletion(text, from, typed.prefix, actions));
  }

  function show(answer: Answer): void {
    shown = answer;
    const { recommendations, query: about, took, highestConfidence } = answer;
    const doing = about.labels.map((each) => `${showLabel(each.label)} (${showShare(each.probability)})`).join(", ");
    const found =
      recommendations.length === 0 ? describeEmpty(highestConfidence) : `${plural(recommendations.length, "cell")}`;
    const task = doing === "" ? "" : `; your cell seems to: ${doing}`;
    query.textContent = `${found}${task}. ${Math.round(took.total ?? 0)} ms`;
    const at = typed ?? cells.read();
    const first = completions.slice(0, 1).map(({ text, from }) => renderCompletion(text, from, at.prefix, actions));
    hitList.replaceChildren(...first, ...recommendations.map((hit) => renderHit(hit, at, actions)));
    setBusy(false);
    clearTimeout(seen);
    seen = window.setTimeout(() => {
      for (const { rank } of recommendations) sendFeedback(rank, "shown");
    }, SEEN_MS);
  }

  for (const field of [mode, label, words, markdown]) field.addEventListener("input", askSoon);
  find("add").addEventListener("click", () => cells.add());
  return { askSoon, actions, start: () => void cells.add(), report };
}

function describeEmpty(highest: number | null): string {
  return highest === null ? "Nothing found" : `No good match (best: ${showShare(highest)})`;
}
