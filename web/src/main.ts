import type { EditorView } from "@codemirror/view";
import { type Answer, createClient, type Recommendation } from "../../src/client/client.js";
import { createEditor } from "./editor.js";
import { element, renderHit } from "./hits.js";

const PAUSE_MS = 60;
const client = createClient({ url: new URL(".", location.href).href });
const find = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const [cellList, hitList, query] = [find("cells"), find("hits"), find("query")];
const [mode, label, words] = [
  find<HTMLSelectElement>("mode"),
  find<HTMLSelectElement>("label"),
  find<HTMLInputElement>("words"),
];
const markdown = find<HTMLTextAreaElement>("markdown");

const editors: EditorView[] = [];
let active = 0;
let asking: AbortController | null = null;
let timer = 0;
let shown: Answer | null = null;

function addCell(): void {
  const item = element("li", "cell");
  cellList.append(item);
  const at = editors.length;
  const view = createEditor(item, `Cell ${at + 1}`, {
    onChange: askSoon,
    onFocus: () => {
      if (active === at) return;
      active = at;
      askSoon();
    },
    onNext: addCell,
  });
  editors.push(view);
  active = at;
  view.focus();
  askSoon();
}

/** At most one question is on its way: a newer one cancels it, in the service, too. */
function askSoon(): void {
  clearTimeout(timer);
  timer = window.setTimeout(() => void ask().catch(report), PAUSE_MS);
}

async function ask(): Promise<void> {
  asking?.abort();
  asking = new AbortController();
  const { signal } = asking;
  const wanted = words.value.trim();
  if (wanted !== "") return showFound(wanted, signal);
  const code = editors[active]!.state.doc.toString();
  const before = editors.slice(0, active).map((view) => view.state.doc.toString());
  if (code.trim() === "" && before.every((each) => each.trim() === "") && markdown.value.trim() === "") {
    hitList.replaceChildren();
    query.textContent = "Type some Python: df = pd.read_csv(";
    return;
  }
  const chosen = (mode.value || (code.trim() === "" ? "next" : "complete")) as "complete" | "next" | "similar";
  const context = { before, ...(markdown.value.trim() !== "" && { markdown: markdown.value }) };
  const answer = await client.recommend(
    { code, k: 5, mode: chosen, context, explain: true, ...(label.value !== "" && { label: label.value }) },
    { signal },
  );
  shown = answer;
  const labels = answer.query.labels.map((each) => `${each.label} ${Math.round(100 * each.probability)} %`).join(", ");
  const found = answer.recommendations.length === 0 ? "Nothing found." : `${answer.recommendations.length} cells`;
  query.textContent = `${found}${labels === "" ? "" : `; this cell looks like ${labels}`} (${Math.round(answer.took.total ?? 0)} ms)`;
  const typed = new Set(code.split("\n").map((line) => line.trim()));
  hitList.replaceChildren(...answer.recommendations.map((hit) => renderHit(hit, typed, { onUse: use, onCopy: copy })));
}

async function showFound(text: string, signal: AbortSignal): Promise<void> {
  const { cells } = await client.search({ text, k: 10, ...(label.value !== "" && { label: label.value }) }, { signal });
  query.textContent = `${cells.length} cells with these words`;
  hitList.replaceChildren(...cells.map((hit) => renderHit(hit, new Set(), { onUse: use, onCopy: copy })));
}

function use(hit: Recommendation): void {
  const view = editors[active]!;
  view.dispatch({
    changes: { from: 0, to: view.state.doc.length, insert: hit.code },
    selection: { anchor: hit.code.length },
  });
  view.focus();
  tell(hit, "accepted");
}

function copy(hit: Recommendation): void {
  void navigator.clipboard.writeText(hit.code).then(() => {
    query.textContent = "Copied.";
  });
  tell(hit, "accepted");
}

function tell({ rank }: Recommendation, event: "accepted"): void {
  const isKept = document.documentElement.dataset.feedback === "on";
  if (isKept && shown !== null && words.value === "")
    void client.feedback({ recommendation: shown.id, rank, event }).catch(report);
}

function report(error: unknown): void {
  if ((error as Error).name !== "AbortError") query.textContent = (error as Error).message;
}

async function showStats(): Promise<void> {
  const { cells, notebooks, labels } = await client.stats();
  find("stats").textContent = `${cells.toLocaleString("en")} cells of ${notebooks.toLocaleString("en")} notebooks`;
  const before = label.value;
  const options = Object.entries(labels).map(([name, count]) => new Option(`${name} (${count})`, name));
  label.replaceChildren(new Option("any", ""), ...options);
  label.value = before;
}

async function upload(files: readonly File[]): Promise<void> {
  const bar = find<HTMLProgressElement>("progress");
  bar.hidden = false;
  const refused: string[] = [];
  let stored = 0;
  for (const [at, file] of files.entries()) {
    bar.value = at / files.length;
    try {
      const answer = await client.upload(file.name, JSON.parse(await file.text()));
      stored += answer.notebooks.length;
    } catch (error) {
      refused.push(`${file.name}: ${(error as Error).message}`);
    }
  }
  bar.hidden = true;
  find("uploaded").textContent = [`${stored} of ${files.length} notebooks added.`, ...refused].join(" ");
  await showStats();
  askSoon();
}

const drop = find("drop");
for (const name of ["dragenter", "dragover", "dragleave", "drop"]) {
  drop.addEventListener(name, (event) => {
    event.preventDefault();
    drop.classList.toggle("over", name === "dragenter" || name === "dragover");
  });
}
drop.addEventListener("drop", (event) => void upload([...(event.dataTransfer?.files ?? [])]).catch(report));
find<HTMLInputElement>("files").addEventListener("change", (event) => {
  void upload([...((event.target as HTMLInputElement).files ?? [])]).catch(report);
});
find("add").addEventListener("click", addCell);
for (const field of [mode, label, words, markdown]) field.addEventListener("input", askSoon);

addCell();
void showStats().catch(report);
