import { markMatches, wordsOf } from "./code.js";
import { element, fileName, find, link, notebookAddress, plural } from "./dom.js";
import type { HitActions } from "./hits.js";
import { service } from "./service.js";

interface Choice {
  readonly content: () => readonly (Node | string)[];
  readonly run: () => void;
  /** Shift+Enter. */
  readonly add?: () => void;
}

interface PaletteOptions {
  readonly actions: Pick<HitActions, "onNewCell">;
  readonly commands: readonly { readonly name: string; readonly run: () => void }[];
}

const PAUSE_MS = 80;
const MAX_CELLS = 8;
const MAX_NOTEBOOKS = 5;
const MAX_NAMES = 1_000;
/** Maximum characters of a line shown before its first match, up to the start of a word. */
const BEFORE_MATCH = 16;
const KEYS_HINT = "Enter opens, Shift+Enter adds the cell to your notebook, Esc closes.";

/** The search dialog, opened by `/`, Ctrl+K or the button in the header. It does not change the suggestions. */
export function createPalette({ actions, commands }: PaletteOptions): void {
  const dialog = find<HTMLDialogElement>("palette");
  const input = element("input") as HTMLInputElement;
  input.type = "text";
  input.placeholder = "Words in cells, a notebook, or a command";
  const list = element("div", "choices");
  list.id = "palette-choices";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Found");
  for (const [name, value] of Object.entries({
    role: "combobox",
    "aria-label": "Search cells, notebooks and commands",
    "aria-controls": list.id,
    "aria-expanded": "true",
    "aria-autocomplete": "list",
    autocomplete: "off",
    spellcheck: "false",
  }))
    input.setAttribute(name, value);
  const status = element("p", "hint", KEYS_HINT);
  status.setAttribute("role", "status");
  dialog.replaceChildren(input, list, status);
  let choices: readonly Choice[] = [];
  let chosen = 0;
  let timer = 0;
  let asking: AbortController | null = null;
  let names: ReturnType<typeof loadNames> | null = null;
  /** The text for which the choices were found. */
  let answered = "";
  /** Whether Enter was pressed before the choices for the text arrived. */
  let waiting: { readonly isAdding: boolean } | null = null;

  const choose = (at: number) => {
    if (choices.length === 0) return input.removeAttribute("aria-activedescendant");
    chosen = (at + choices.length) % choices.length;
    for (const [index, option] of [...list.children].entries())
      option.setAttribute("aria-selected", String(index === chosen));
    const option = list.children[chosen]!;
    input.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  };
  const run = (at: number, isAdding: boolean) => {
    const choice = choices[at];
    if (choice === undefined) return;
    dialog.close();
    (isAdding ? (choice.add ?? choice.run) : choice.run)();
  };
  const show = (next: readonly Choice[], said: string, text: string) => {
    [choices, answered] = [next, text];
    const options = next.map(({ content }, at) => {
      const option = element("div", "option", ...content());
      option.id = `choice-${at}`;
      option.setAttribute("role", "option");
      option.addEventListener("click", (event) => run(at, event.shiftKey));
      return option;
    });
    list.replaceChildren(...options);
    status.textContent = said;
    choose(0);
    if (waiting !== null) run(0, waiting.isAdding);
    waiting = null;
  };
  const search = async () => {
    asking?.abort();
    asking = new AbortController();
    const { signal } = asking;
    const text = input.value.trim();
    const has = (name: string) => name.toLowerCase().includes(text.toLowerCase());
    const matching = commands.filter(({ name }) => has(name));
    const first = matching.map(({ name, run: act }) => ({ content: () => [name], run: act }));
    if (text === "") return show(first, KEYS_HINT, text);
    names ??= loadNames();
    const [{ cells }, notebooks] = await Promise.all([service().search({ text, k: MAX_CELLS }, { signal }), names]);
    if (signal.aborted) return;
    const files = notebooks
      .filter(({ name }) => has(name))
      .slice(0, MAX_NOTEBOOKS)
      .map(
        ({ id, name, cells: count }): Choice => ({
          content: () => [fileName(name), element("span", "quiet", ` ${plural(count, "cell")}`)],
          run: () => open(notebookAddress(id)),
        }),
      );
    const words = wordsOf(text);
    const found = cells.map(({ code, notebook }): Choice => {
      const lines = code.split("\n");
      const line = lines.find((each) => words.some((word) => each.toLowerCase().includes(word))) ?? lines[0]!;
      return {
        content: () => [
          markMatches(element("code", "", cutToMatch(line.trim(), words)), words),
          fileName(notebook.name, notebook.cellIndex),
        ],
        run: () => open(notebookAddress(notebook.id, notebook.cellIndex)),
        add: () => actions.onNewCell({ rank: null, code }),
      };
    });
    const all: Choice = {
      content: () => [`Show all cells with “${text}”`],
      run: () => open(`#browse?${new URLSearchParams({ q: text })}`),
    };
    const count = cells.length === MAX_CELLS ? `The best ${MAX_CELLS} cells.` : `${plural(cells.length, "cell")}.`;
    show([...found, ...(found.length === 0 ? [] : [all]), ...files, ...first], `${count} ${KEYS_HINT}`, text);
  };
  const fail = (error: unknown) => {
    if ((error as Error).name !== "AbortError") show([], (error as Error).message, input.value.trim());
  };
  const openPalette = () => {
    if (dialog.open) return;
    [names, waiting] = [null, null];
    dialog.showModal();
    input.select();
    void search().catch(fail);
  };
  input.addEventListener("input", () => {
    clearTimeout(timer);
    waiting = null;
    timer = window.setTimeout(() => void search().catch(fail), PAUSE_MS);
  });
  input.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0 && event.key !== "Enter") return;
    event.preventDefault();
    if (step !== 0) choose(chosen + step);
    else if (answered === input.value.trim()) run(chosen, event.shiftKey);
    else waiting = { isAdding: event.shiftKey };
  });
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog) dialog.close();
  });
  find("find").addEventListener("click", openPalette);
  document.addEventListener("keydown", (event) => {
    const isSlash = event.key === "/" && !isTextField(event.target as HTMLElement);
    const isControlK = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey;
    if (!isSlash && !isControlK) return;
    event.preventDefault();
    openPalette();
  });
}

/** Cuts a line shortly before its first match, so the match is visible. */
function cutToMatch(line: string, words: readonly string[]): string {
  const text = line.toLowerCase();
  const matches = words.map((word) => text.indexOf(word)).filter((at) => at !== -1);
  const from = Math.min(...matches) - BEFORE_MATCH;
  if (!Number.isFinite(from) || from <= 0) return line;
  const start = from - /\w*$/.exec(line.slice(0, from))![0].length;
  return start === 0 ? line : `…${line.slice(start)}`;
}

const open = (address: string): void => link(address, "").click();

const isTextField = (target: HTMLElement): boolean =>
  target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);

const loadNames = async () => (await service().listNotebooks({ limit: MAX_NAMES })).notebooks;
