import { createBrowser } from "./browse-view.js";
import { find, plural, showLabel } from "./dom.js";
import { showEvaluation } from "./evaluation-view.js";
import { showFeedback } from "./feedback-view.js";
import { createPalette } from "./palette.js";
import { askForToken, service, watchToken } from "./service.js";
import { watchUploads } from "./upload.js";
import { createWriteView } from "./write-view.js";

const VIEWS = ["write", "browse", "evaluation", "feedback"] as const;

const write = createWriteView();
const browser = createBrowser(find("browse"), write.actions);

let current = "";

/** Shows the view of the address with fresh content. */
function route(): void {
  const [, name = ""] = /^#(\w+)/.exec(location.hash) ?? [];
  const view = VIEWS.find((each) => each === (name === "notebook" ? "browse" : name)) ?? "write";
  for (const each of VIEWS) {
    find(each).hidden = each !== view;
    const link = document.querySelector(`nav a[href="#${each}"]`)!;
    if (each === view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  find("keys").hidden = view !== "write";
  // A message with Undo belongs to its view, so it is removed.
  if (current === "write" && view !== "write") find("done").replaceChildren();
  current = view;
  document.title = view === "write" ? "celrec" : `${view[0]!.toUpperCase()}${view.slice(1)} · celrec`;
  if (view === "browse") void browser.show().catch(fail);
  if (view === "evaluation") showEvaluation(find(view));
  if (view === "feedback") void showFeedback(find(view)).catch(fail);
}

async function showStats(): Promise<void> {
  const { cells, notebooks, labels } = await service().stats();
  find("stats").textContent = `${plural(cells, "cell")} of ${plural(notebooks, "notebook")}`;
  const choice = find<HTMLSelectElement>("label");
  const before = choice.value;
  const options = Object.entries(labels).map(([name, count]) => new Option(`${showLabel(name)} (${count})`, name));
  choice.replaceChildren(new Option("any", ""), ...options);
  choice.value = before;
}

function fail(error: unknown): void {
  if (!askForToken(error)) find("stats").textContent = (error as Error).message;
}

const refresh = () => {
  void showStats().catch(fail);
  browser.forget();
  write.askSoon();
  if (!find("browse").hidden) route();
};
const go = (hash: string) => () => {
  location.hash = hash;
};
createPalette({
  actions: write.actions,
  commands: [
    { name: "Go to Write", run: go("#write") },
    { name: "Go to Browse", run: go("#browse") },
    { name: "Go to Evaluation", run: go("#evaluation") },
    { name: "Go to Feedback", run: go("#feedback") },
    { name: "Go to API", run: () => location.assign("docs") },
    { name: "New cell", run: write.addCell },
    { name: "Clear your notebook", run: write.clear },
    { name: "Upload notebooks", run: () => find("files").click() },
  ],
});
watchUploads(refresh);
watchToken(() => {
  refresh();
  route();
});
window.addEventListener("hashchange", route);
route();
write.start();
void showStats().catch(fail);
