import { ILayoutRestorer, type JupyterFrontEnd, type JupyterFrontEndPlugin } from "@jupyterlab/application";
import { ICommandPalette, Notification } from "@jupyterlab/apputils";
import { IEditorLanguageRegistry } from "@jupyterlab/codemirror";
import { ICompletionProviderManager } from "@jupyterlab/completer";
import { PathExt } from "@jupyterlab/coreutils";
import { IDocumentManager } from "@jupyterlab/docmanager";
import { IDefaultFileBrowser } from "@jupyterlab/filebrowser";
import { INotebookTracker, type NotebookPanel } from "@jupyterlab/notebook";
import { ISettingRegistry } from "@jupyterlab/settingregistry";
import type { Recommendation } from "./answers.js";
import { createRenderCode } from "./code-lines.js";
import { addCommands } from "./commands.js";
import { chooseService } from "./connect.js";
import { createFeedback } from "./feedback.js";
import { type Asked, createFollower, type State } from "./follow.js";
import { createGhostProvider } from "./ghost.js";
import { createIndexing } from "./indexing.js";
import { apply, type Way } from "./insertion.js";
import { createKernelVariables } from "./kernel-variables.js";
import { openOrigin } from "./origin.js";
import { createPanel } from "./panel.js";
import { createService } from "./service.js";
import { readSettings } from "./settings.js";
import { createTaskMap } from "./task-map.js";

const ID = "celrec-jupyterlab:plugin";

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
  let shown: Asked | null = null;

  const panel = createPanel({
    renderCode,
    actions: {
      onUse: use,
      onOrigin: open,
      onDismiss: dismiss,
      onLeave: () => tracker.currentWidget?.content.activate(),
    },
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
  const follower = createFollower({
    tracker,
    service,
    settings,
    variables: variables.of,
    isWanted: () => panel.widget.isVisible,
    onState: show,
  });
  const tasks = createTaskMap({
    service,
    isOn: () => settings().labels,
    current: () => tracker.currentWidget,
    target: panel.tasks,
  });
  const indexing = createIndexing({ service, contents: app.serviceManager.contents, onChange: () => void showStats() });

  function show(state: State): void {
    if (state.kind !== "asking") shown = state.kind === "answer" ? state.asked : null;
    panel.render(state);
    if (panel.widget.isVisible) feedback.shown(shown?.answer ?? null);
  }

  function use(way: Way, hit: Recommendation): void {
    if (shown === null || shown.place.cell.isDisposed) return;
    const { answer, place } = shown;
    feedback.accepted(answer, hit, apply(way, hit, place));
    if (way === "copy") panel.tell("Copied.");
  }

  function dismiss(hit: Recommendation): void {
    if (shown === null) return;
    feedback.dismissed(shown.answer, hit);
    const recommendations = shown.answer.recommendations.filter((each) => each !== hit);
    show({ kind: "answer", asked: { ...shown, answer: { ...shown.answer, recommendations } } });
    panel.focus();
  }

  function open(hit: Recommendation): void {
    void openOrigin(hit.notebook, { app, documents, service, renderCode }).catch(report);
  }

  async function connect(): Promise<void> {
    if (await chooseService(service)) follower.now();
    await showStats();
  }

  async function showStats(): Promise<void> {
    if (!panel.widget.isVisible) return;
    // A service that does not answer is told of where it is asked for cells.
    const stats = await service.stats().catch(() => null);
    const count = (number: number) => number.toLocaleString();
    panel.showStats(stats === null ? "" : `${count(stats.cells)} cells of ${count(stats.notebooks)} notebooks`);
  }

  async function indexNotebook(): Promise<void> {
    if (tracker.currentWidget !== null) await indexing.indexPanel(tracker.currentWidget);
  }

  const folder = () => browser?.model.path ?? PathExt.dirname(tracker.currentWidget?.context.path ?? "");
  const selected = () => [...(browser?.selectedItems() ?? [])].map(({ path }) => path);
  const report = (error: unknown) => void Notification.error(`celrec: ${(error as Error).message}`);

  function watch(notebook: NotebookPanel): void {
    variables.watch(notebook);
    notebook.context.saveState.connect((_, state) => {
      if (state === "completed" && settings().indexOnSave) void indexing.indexPanel(notebook, true);
    });
    notebook.context.model.contentChanged.connect(() => {
      if (settings().labels) tasks.refresh();
    });
  }

  addCommands({
    app,
    palette,
    hit: (rank) => shown?.answer.recommendations.find((hit) => hit.rank === rank),
    onHit: {
      insert: { label: "Insert recommendation # after the cursor", act: (hit) => use("insert", hit) },
      "insert-cell": { label: "Insert recommendation # as a new cell", act: (hit) => use("cell", hit) },
      replace: { label: "Replace the cell with recommendation #", act: (hit) => use("replace", hit) },
      copy: { label: "Copy recommendation #", act: (hit) => use("copy", hit) },
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
  completions?.registerInlineProvider(createGhostProvider({ follower, feedback, settings }));
  app.shell.add(panel.widget, "right", { rank: 700, type: "celrec" });
  restorer?.add(panel.widget, panel.widget.id);
}
