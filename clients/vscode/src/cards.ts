import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { Answer, Recommendation } from "../../../src/ask/client.js";
import { findNewText } from "../../jupyterlab/src/insertions.js";
import { type Offer as AnyOffer, createOffers } from "../../jupyterlab/src/offers.js";
import type { AskCompletions } from "./ghost.js";
import { insertCell, insertPlanned, isCurrent } from "./insert.js";
import { type Place, readPlace } from "./place.js";
import type { Service } from "./service.js";
import { openSource } from "./source.js";

type Offer = AnyOffer<Recommendation>;

interface Message {
  readonly action: "insert" | "cell" | "copy" | "source";
  readonly question: number;
  readonly at: number;
}

const PAUSE_MS = 250;

export interface Cards extends vscode.WebviewViewProvider {
  /** Asks about the cursor again, after a pause. */
  update(): void;
  /** Opens the source of the first card that has one. */
  goToSource(): Promise<void>;
}

/** The view with the cards: first the completion that is also the ghost text, then whole cells. */
export function createCards(
  service: Service,
  askCompletions: AskCompletions,
  onProblem: (error: unknown) => void,
): Cards {
  let view: vscode.WebviewView | null = null;
  let question = 0;
  let timer: NodeJS.Timeout | undefined;
  let controller = new AbortController();
  let shown: { readonly place: Place; readonly offers: readonly Offer[] } | null = null;

  const post = (message: object) => void view?.webview.postMessage(message);

  const askAll = async (place: Place, signal: AbortSignal): Promise<Offer[]> => {
    const k = vscode.workspace.getConfiguration("celrec").get("cards", 5);
    const { prefix, suffix, before, markdown, cell, document } = place;
    const context = { before: [...before], ...(markdown !== "" && { markdown }) };
    const exclude = excludeOwn(cell?.notebook.uri ?? document.uri);
    const [{ texts }, answer] = await Promise.all([
      askCompletions(place, signal),
      service.ask(
        (client): Promise<Answer> => client.recommend({ code: prefix, suffix, k, context, ...exclude }, { signal }),
      ),
    ]);
    // In an empty cell the ghost text is one of the recommended cells.
    const hasCompletion = texts.length > 0 && (prefix + suffix).trim() !== "";
    return createOffers(place, hasCompletion ? { text: texts[0]! } : null, answer.recommendations);
  };

  const ask = async () => {
    const editor = vscode.window.activeTextEditor;
    const place = editor === undefined ? null : readPlace(editor.document, editor.selection.active);
    if (place === null || view?.visible !== true) return;
    const asked = question;
    try {
      const offers = await askAll(place, controller.signal);
      if (asked !== question) return;
      shown = { place, offers };
      post({ question: asked, cards: offers.map((offer) => describeOffer(offer, place)) });
    } catch (error) {
      if (asked !== question) return;
      post({ question: asked, problem: (error as Error).message });
      onProblem(error);
    }
  };

  const act = async ({ action, question: asked, at }: Message) => {
    const offer = shown?.offers[at];
    if (shown === null || offer === undefined) return;
    if (action === "copy") return vscode.env.clipboard.writeText(offer.code);
    if (action === "source") return offer.hit === null ? undefined : openSource(offer.hit.notebook, service);
    // Cards of an older request are inactive.
    if (asked !== question || !isCurrent(shown.place)) return;
    return action === "insert" ? insertPlanned(shown.place, offer.plan) : insertCell(shown.place, offer.code);
  };

  return {
    resolveWebviewView(resolved) {
      view = resolved;
      view.webview.options = { enableScripts: true, localResourceRoots: [] };
      view.webview.html = makePage();
      view.webview.onDidReceiveMessage((message: Message) => act(message).then(undefined, onProblem));
      view.onDidChangeVisibility(this.update);
      view.onDidDispose(() => {
        view = null;
      });
      this.update();
    },
    update() {
      question += 1;
      controller.abort();
      controller = new AbortController();
      post({ question, isStale: true });
      clearTimeout(timer);
      timer = setTimeout(() => void ask(), PAUSE_MS);
    },
    async goToSource() {
      const hit = shown?.offers.find((offer) => offer.hit !== null)?.hit;
      if (hit != null) return openSource(hit.notebook, service);
      vscode.window.showInformationMessage("No cell is shown. Open the celrec view and put the cursor into a cell.");
    },
  };
}

/** Cells of the open notebook are not recommended. */
function excludeOwn(uri: vscode.Uri) {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  if (folder === undefined) return {};
  const path = vscode.workspace.asRelativePath(uri, false);
  return { exclude: { notebooks: [{ source: folder.uri.fsPath, path }] } };
}

const GAP = { text: "⋯", newFrom: null };

function describeOffer({ hit, code, plan }: Offer, { prefix }: Place) {
  const line = prefix.slice(prefix.lastIndexOf("\n") + 1);
  const after = (typed: string, text: string) =>
    (typed + text).split("\n").map((row, at) => ({ text: row, newFrom: at === 0 ? typed.length : 0 }));
  if (hit === null) return { lines: after(line, code), problem: null, title: "At the cursor", path: "", isCell: false };
  const { source, name, cellIndex } = hit.notebook;
  const added = findNewText(hit, plan);
  const own = code.split("\n").map((text, at) => ({ text, newFrom: added?.get(at) ?? null }));
  // The adapted insertion is not a substring of the cell, so it is shown separately.
  const alone = added === null ? [...after(hit.continuesLine ? line : "", hit.adapted.insert.trimEnd()), GAP] : [];
  const path = vscode.workspace.asRelativePath(`${source}/${name}`, false);
  return {
    lines: [...alone, ...own],
    problem: plan.problem,
    title: name.split("/").at(-1)!,
    path: `${path}, cell ${cellIndex}`,
    isCell: true,
  };
}

/** The HTML page of the view. It is empty at first: all content arrives in messages and is inserted as text. */
function makePage(): string {
  const nonce = randomBytes(16).toString("hex");
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'">
<style nonce="${nonce}">${STYLE}</style></head>
<body><main aria-live="polite"></main><script nonce="${nonce}">(${runInView.toString()})()</script></body></html>`;
}

const STYLE = `
body { padding: 0 8px; color: var(--vscode-foreground); font: var(--vscode-font-size) var(--vscode-font-family); }
article { border: 1px solid var(--vscode-widget-border, var(--vscode-contrastBorder, transparent)); border-radius: 4px; margin: 8px 0; padding: 8px; }
main.stale article { opacity: .6; }
h2 { font-size: 1em; margin: 0; overflow-wrap: anywhere; }
p { color: var(--vscode-descriptionForeground); margin: 2px 0 6px; overflow-wrap: anywhere; font-size: .9em; }
p.problem { color: var(--vscode-foreground); margin: 0 0 6px; }
pre span { display: block; min-height: 1lh; padding-left: 2ch; text-indent: -2ch; white-space: pre-wrap; overflow-wrap: anywhere; }
pre ins { background: var(--vscode-diffEditor-insertedTextBackground, var(--vscode-editor-selectionBackground)); text-decoration: none; }
pre { background: var(--vscode-textCodeBlock-background); font: var(--vscode-editor-font-size) var(--vscode-editor-font-family); margin: 6px 0; max-height: 16em; overflow: auto; padding: 6px; }
button { background: var(--vscode-button-secondaryBackground); border: 0; border-radius: 2px; color: var(--vscode-button-secondaryForeground); cursor: pointer; font-size: .92em; margin: 0 4px 2px 0; padding: 2px 7px; }
button.primary { background: var(--vscode-button-background); color: var(--vscode-button-foreground); }
button:disabled { cursor: default; opacity: .5; }
button:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: 1px; }
`;

/** The script of the page, which runs in the view and not in the extension. */
function runInView() {
  // biome-ignore lint/suspicious/noExplicitAny: the view's own interface has no types here
  const host = (globalThis as any).acquireVsCodeApi();
  const main = document.querySelector("main")!;
  let question = 0;
  const element = (tag: string, text: string) => {
    const made = document.createElement(tag);
    made.textContent = text;
    return made;
  };
  const say = (text: string) => main.replaceChildren(element("p", text));
  say("Put the cursor into a code cell: cells of your notebooks that continue it appear here.");
  // biome-ignore lint/suspicious/noExplicitAny: see above
  addEventListener("message", ({ data }: MessageEvent<any>) => {
    question = data.question;
    main.dataset.question = String(question);
    main.classList.toggle("stale", data.isStale === true);
    if (data.isStale) {
      for (const button of main.querySelectorAll("button")) if (button.dataset.edits) button.disabled = true;
      return;
    }
    if (data.problem) return say(data.problem);
    if (data.cards.length === 0) return say("No good match for this cell.");
    main.replaceChildren(
      ...data.cards.map((card: ReturnType<typeof describeOffer>, at: number) => {
        const article = element("article", "");
        const add = (name: string, action: string, edits: boolean) => {
          const button = element("button", name) as HTMLButtonElement;
          if (edits) button.dataset.edits = "1";
          button.onclick = () => host.postMessage({ action, question, at });
          article.append(button);
          return button;
        };
        const code = element("pre", "");
        for (const { text, newFrom } of card.lines) {
          const row = element("span", newFrom === null ? text : text.slice(0, newFrom));
          if (newFrom !== null) row.append(element("ins", text.slice(newFrom)));
          code.append(row);
        }
        article.append(element("h2", card.title), element("p", card.path), code);
        if (card.problem !== null) {
          const problem = element("p", card.problem);
          problem.className = "problem";
          article.append(problem);
        }
        const insert = add("Insert", "insert", true);
        insert.className = "primary";
        insert.disabled = card.problem !== null;
        insert.title = card.problem ?? "Insert the marked text at the cursor";
        if (card.isCell) {
          add("New cell", "cell", true);
          add("Go to source", "source", false);
        }
        add("Copy", "copy", false);
        return article;
      }),
    );
  });
}
