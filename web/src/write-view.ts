import type { Answer } from "../../src/ask/client.js";
import { createCells } from "./cells.js";
import { find, plural, showLabel, showShare } from "./dom.js";
import { type HitActions, renderFound, renderHit, type Usable } from "./hits.js";
import { openNotebook } from "./notebook-view.js";
import { askForToken, service } from "./service.js";

const PAUSE_MS = 50;
const HITS = 5;
/** A list that was shown for a shorter time does not count as seen. */
const SEEN_MS = 1_000;

/** The notebook being written, and the recommendations for it. */
export function createWriteView() {
  const [hitList, query] = [find("hits"), find("query")];
  const [mode, label] = [find<HTMLSelectElement>("mode"), find<HTMLSelectElement>("label")];
  const words = find<HTMLInputElement>("words");
  const markdown = find<HTMLTextAreaElement>("markdown");
  const isFeedbackKept = document.documentElement.dataset.feedback === "on";
  let asking: AbortController | null = null;
  let timer = 0;
  let shown: Answer | null = null;
  let seen = 0;

  const report = (error: unknown) => {
    if ((error as Error).name !== "AbortError" && !askForToken(error)) query.textContent = (error as Error).message;
  };
  const sendFeedback = (rank: number, event: "shown" | "accepted") => {
    if (!isFeedbackKept || shown === null || words.value.trim() !== "") return;
    void service().feedback({ recommendation: shown.id, rank, event }).catch(report);
  };
  const actions: HitActions = {
    onUse(hit) {
      location.hash = "#write";
      cells.put(hit);
      sendFeedback(hit.rank, "accepted");
    },
    onCopy(hit: Usable) {
      void navigator.clipboard.writeText(hit.text).then(() => {
        query.textContent = "Copied.";
      }, report);
      sendFeedback(hit.rank, "accepted");
    },
    onOpen: (notebook, cellIndex) => void openNotebook(notebook, cellIndex).catch(report),
  };

  /** At most one request runs: a newer one cancels it, also in the service. */
  const askSoon = () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => void ask().catch(report), PAUSE_MS);
  };
  const cells = createCells({
    onChange: askSoon,
    onTake: () => hitList.querySelector<HTMLElement>("button.primary")?.click(),
  });

  async function ask(): Promise<void> {
    asking?.abort();
    asking = new AbortController();
    const { signal } = asking;
    const text = words.value.trim();
    const within = label.value === "" ? {} : { label: label.value };
    if (text !== "") {
      const found = await service().search({ text, k: 10, ...within }, { signal });
      query.textContent = `${plural(found.cells.length, "cell")} with these words`;
      hitList.replaceChildren(...found.cells.map((hit) => renderFound(hit, actions)));
      return;
    }
    const { code, before } = cells.read();
    if ([code, markdown.value, ...before].every((part) => part.trim() === "")) {
      hitList.replaceChildren();
      query.textContent = "Type some Python on the left, such as df = pd.read_csv(";
      return;
    }
    const context = { before, ...(markdown.value.trim() !== "" && { markdown: markdown.value }) };
    const chosen = mode.value as "auto" | "complete" | "next" | "similar";
    const question = { code, k: HITS, mode: chosen, context, explain: true, ...within };
    show(await service().recommend(question, { signal }));
  }

  function show(answer: Answer): void {
    shown = answer;
    const { recommendations, query: about, took, highestConfidence } = answer;
    const doing = about.labels.map((each) => `${showLabel(each.label)} (${showShare(each.probability)})`).join(", ");
    const found =
      recommendations.length === 0 ? describeEmpty(highestConfidence) : `${plural(recommendations.length, "cell")}`;
    const task = doing === "" ? "" : `; your cell seems to: ${doing}`;
    query.textContent = `${found}${task}. ${Math.round(took.total ?? 0)} ms`;
    hitList.replaceChildren(...recommendations.map((hit) => renderHit(hit, actions)));
    clearTimeout(seen);
    seen = window.setTimeout(() => {
      for (const { rank } of recommendations) sendFeedback(rank, "shown");
    }, SEEN_MS);
  }

  for (const field of [mode, label, words, markdown]) field.addEventListener("input", askSoon);
  find("add").addEventListener("click", cells.add);
  return { askSoon, actions, start: cells.add, report };
}

function describeEmpty(highest: number | null): string {
  return highest === null ? "Nothing found" : `No good match (best: ${showShare(highest)})`;
}
