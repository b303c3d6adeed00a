import { ILayoutRestorer, type JupyterFrontEnd, type JupyterFrontEndPlugin } from "@jupyterlab/application";
import { ICommandPalette } from "@jupyterlab/apputils";
import { IEditorLanguageRegistry } from "@jupyterlab/codemirror";
import { ICompletionProviderManager } from "@jupyterlab/completer";
import { PathExt } from "@jupyterlab/coreutils";
import { IDocumentManager } from "@jupyterlab/docmanager";
import { IDefaultFileBrowser } from "@jupyterlab/filebrowser";
import { INotebookTracker, type NotebookPanel } from "@jupyterlab/notebook";
import { ISettingRegistry } from "@jupyterlab/settingregistry";
import { createRenderCode } from "./code-lines.js";
import { addCommands } from "./commands.js";
import { createCompleter } from "./completer.js";
import { chooseService } from "./connect.js";
import { createFeedback } from "./feedback.js";
import { type AskedAnswers, createFollower, type State } from "./follow.js";
import { createGhostProvider, firstToken } from "./ghost.js";
import { createIndexedList } from "./indexed.js";
import { createIndexing } from "./indexing.js";
import { apply, type InsertMethod, isCurrent } from "./insertion.js";
import { createKernelVariables } from "./kernel-variables.js";
import { createNotices } from "./notices.js";
import type { Offer } from "./offers.js";
import { openOrigin } from "./origin.js";
import { createPanel } from "./panel.js";
import { readPlace } from "./place.js";
import { createService } from "./service.js";
import { readSettings } from "./settings.js";
import { createTaskMap } from "./task-map.js";
import { createWelcome } from "./welcome.js";

const ID = "celrec-jupyterlab:plugin";
/** Milliseconds that the editor of a new cell needs before it can get the focus. */
const BLANK_LINE_MS = 200;

const plugin: JupyterFrontEndPlugin<void> = {
  id: ID,
  description: "Recommends notebook cells while you type one.",
  autoStart: true,
  requires: [INotebookTracker, ISettingRegistry, IDocumentManager, IEditorLanguageRegistry],
  optional: [ICompletionProviderManager, ICommandPalette, ILayoutRestorer, IDefaultFileBrowser],
  activate,
};

export default plugin;

async function activate(
  app: JupyterFrontEnd,
  tracker: INotebookTracker,
  registry: ISettingRegistry,
  documents: IDocumentManager,
  languages: IEditorLanguageRegistry,
  completions: ICompletionProviderManager | null,
  palette: ICommandPalette | null,
  restorer: ILayoutRestorer | null,
  browser: IDefaultFileBrowser | null,
): Promise<void> {
  const stored = await registry.load(ID);
  const settings = () => readSettings(stored);
  const service = createService(app.serviceManager.serverSettings);
  const renderCode = createRenderCode(languages);
  const feedback = createFeedback({ service, isOn: () => settings().feedback });
  let shown: AskedAnswers | null = null;
  let isAsking = false;

  const indexed = createIndexedList({ service, onChange: () => void showStats(), onProblem: report });
  const welcome = createWelcome({
    count: () => indexing.countNotebooks(folder()),
    onIndex: (keepsInStep) => {
      if (keepsInStep) void stored.set("indexOnSave", true).catch(report);
      void indexing.indexPaths([folder()]);
    },
  });
  const notices = createNotices(() => panel.widget.isVisible);
  const panel = createPanel({
    notice: notices.node,
    welcome: welcome.node,
    indexed: indexed.node,
    renderCode,
    actions: {
      onUse: use,
      onOrigin: open,
      onDismiss: dismiss,
    },
    onLeave: leave,
    onShow: () => {
      follower.refresh();
      tasks.refresh();
      void showStats();
    },
    onAgain: () => follower.now(),
    onConnect: () => void connect().catch(report),
    onIndex: (what) => void (what === "notebook" ? indexNotebook() : indexing.indexPaths([folder()])),
  });
  const variables = createKernelVariables({
    isOn: () => settings().kernelVariables,
    onChange: () => follower.refresh(),
  });
  const completer = createCompleter(service);
  const place = (notebook: NotebookPanel) => {
    const { count, ghostLines, ghostConfidence } = settings();
    const limits = { k: count, maxLines: ghostLines, minConfidence: ghostConfidence };
    return readPlace(notebook, limits, variables.of(notebook));
  };
  const follower = createFollower({
    tracker,
    service,
    completer,
    settings,
    readPlace: place,
    isWanted: () => panel.widget.isVisible,
    onState: show,
  });
  const ghost = createGhostProvider({ completer, feedback, settings, readPlace: place });
  const tasks = createTaskMap({
    service,
    isOn: () => settings().labels,
    current: () => tracker.currentWidget,
    target: panel.tasks,
  });
  const indexing = createIndexing({
    service,
    contents: app.serviceManager.contents,
    report: notices.show,
    onChange: () => void showStats(),
  });

  function show(state: State): void {
    isAsking = state.kind === "asking";
    if (!isAsking) shown = state.kind === "answer" ? state.asked : null;
    panel.render(state);
    if (panel.widget.isVisible) feedback.shown(shown?.answer ?? null);
  }

  function use(way: InsertMethod, offer: Offer): void {
    // The cell has changed since the request, so the answer no longer applies.
    if (shown === null || isAsking || (way !== "copy" && !isCurrent(shown.place))) return;
    if (way === "insert" && offer.plan.problem !== null) {
      panel.tell(offer.plan.problem);
      return;
    }
    const placed = apply(way, offer, shown.place);
    if (offer.hit !== null) feedback.accepted(shown.answer, offer.hit, placed);
    else if (shown.completed !== null) feedback.completion(shown.completed, "accepted");
    if (way === "copy") panel.tell("Copied.");
  }

  /** Focus the editor, never the notebook's command mode, where keys delete cells. */
  function leave(): void {
    const notebook = tracker.currentWidget?.content;
    if (notebook === undefined) return;
    notebook.mode = "edit";
    notebook.activeCell?.editor?.focus();
  }

  function dismiss(offer: Offer): void {
    if (shown === null || isAsking) return;
    if (offer.hit !== null) feedback.dismissed(shown.answer, offer.hit);
    else if (shown.completed !== null) feedback.completion(shown.completed, "dismissed");
    show({ kind: "answer", asked: { ...shown, offers: shown.offers.filter((each) => each !== offer) } });
  }

  /**
   * Inserts the next token as if it was typed, so the rest of the ghost text stays. False if there is no ghost text.
   */
  function acceptToken(): boolean {
    const editor = tracker.activeCell?.editor;
    const ghosts = [...(editor?.host.querySelectorAll<HTMLElement>(".jp-GhostText") ?? [])];
    const text = ghosts.map(({ innerText }) => innerText).find((each) => each !== "");
    if (text === undefined) return false;
    editor?.replaceSelection?.(firstToken(text));
    return true;
  }

  function open({ hit }: Offer): void {
    if (hit !== null) void openOrigin(hit.notebook, { app, documents, service, renderCode }).catch(report);
  }

  async function connect(): Promise<void> {
    if (await chooseService(service)) follower.now();
    await showStats();
  }

  async function showStats(): Promise<void> {
    if (!panel.widget.isVisible) return;
    // A service that does not answer is reported when cells are requested.
    const stats = await service.stats().catch(() => null);
    const count = (number: number) => number.toLocaleString();
    void indexed.refresh();
    panel.showStats(stats === null ? "" : `${count(stats.cells)} cells of ${count(stats.notebooks)} notebooks`);
  }

  async function indexNotebook(): Promise<void> {
    if (tracker.currentWidget !== null) await indexing.indexPanel(tracker.currentWidget);
  }

  const folder = () => browser?.model.path ?? PathExt.dirname(tracker.currentWidget?.context.path ?? "");
  const selected = () => [...(browser?.selectedItems() ?? [])].map(({ path }) => path);
  function report(error: unknown): void {
    notices.show({ kind: "problem", message: `celrec: ${(error as Error).message}` });
  }

  const isShowingGhost = () => {
    const editor = tracker.activeCell?.editor;
    return editor?.hasFocus() === true && editor.host.classList.contains("jp-mod-inline-completer-active");
  };
  let blankTimer = 0;
  /** JupyterLab requests ghost text only when something is typed, so this requests it for a blank line. */
  function offerOnBlankLine(): void {
    clearTimeout(blankTimer);
    blankTimer = window.setTimeout(() => {
      const [notebook, cell] = [tracker.currentWidget, tracker.activeCell];
      const editor = cell?.editor;
      if (notebook?.content.mode !== "edit" || cell?.model.type !== "code" || !editor?.hasFocus()) return;
      const isBlank = editor.getLine(editor.getCursorPosition().line)?.trim() === "";
      if (isBlank && settings().ghostText && !isShowingGhost()) completions?.inline?.invoke(notebook.id);
    }, BLANK_LINE_MS);
  }

  function watch(notebook: NotebookPanel): void {
    variables.watch(notebook);
    notebook.context.saveState.connect((_, state) => {
      if (state === "completed" && settings().indexOnSave) void indexing.indexPanel(notebook, true);
    });
    notebook.context.model.contentChanged.connect(() => {
      if (settings().labels) tasks.refresh();
      offerOnBlankLine();
    });
  }

  addCommands({
    app,
    palette,
    offer: (number) => (isAsking ? undefined : shown?.offers[number - 1]),
    onOffer: {
      insert: { label: "Insert recommendation # at the cursor", act: (offer) => use("insert", offer) },
      "insert-cell": { label: "Insert recommendation # as a new cell", act: (offer) => use("cell", offer) },
      replace: { label: "Replace the cell with recommendation #", act: (offer) => use("replace", offer) },
      copy: { label: "Copy recommendation #", act: (offer) => use("copy", offer) },
      origin: { label: "Open the notebook of recommendation #", act: open },
      dismiss: { label: "Dismiss recommendation #", act: dismiss },
    },
    plain: {
      show: {
        label: "Go to the recommended cells",
        act: () => {
          app.shell.activateById(panel.widget.id);
          panel.focus();
        },
      },
      "accept-token": { label: "Insert the next token of the ghost text", act: () => void acceptToken() },
      ask: { label: "Recommend cells now", act: () => follower.now() },
      "index-notebook": { label: "Index this notebook", act: () => void indexNotebook() },
      "index-folder": { label: "Index the current folder", act: () => void indexing.indexPaths([folder()]) },
      "index-path": { label: "Index with celrec", act: () => void indexing.indexPaths(selected()) },
      connect: { label: "Choose the celrec service…", act: () => void connect().catch(report) },
    },
  });
  stored.changed.connect(() => {
    follower.refresh();
    tasks.refresh(0);
  });
  tracker.widgetAdded.connect((_, notebook) => watch(notebook));
  tracker.forEach(watch);
  tracker.currentChanged.connect(() => tasks.refresh(200));
  completions?.registerInlineProvider(ghost);
  tracker.activeCellChanged.connect(offerOnBlankLine);
  // The editor handles this key before JupyterLab's shortcuts do, and would move the cursor by a word.
  const onKey = (event: KeyboardEvent) => {
    const isOther = event.shiftKey || event.altKey || event.metaKey;
    if (event.key !== "ArrowRight" || !event.ctrlKey || isOther || !isShowingGhost() || !acceptToken()) return;
    event.preventDefault();
    event.stopPropagation();
  };
  document.addEventListener("keydown", onKey, { capture: true });
  // Starts the service in advance. If that fails, the first question reports it.
  void service.stats().catch(() => {});
  app.shell.add(panel.widget, "right", { rank: 700, type: "celrec" });
  restorer?.add(panel.widget, panel.widget.id);
  if (settings().welcomed) return;
  // Only once, after JupyterLab has restored its layout.
  void app.restored
    .then(async () => {
      await stored.set("welcomed", true);
      app.shell.activateById(panel.widget.id);
      await welcome.show();
    })
    .catch(report);
}
