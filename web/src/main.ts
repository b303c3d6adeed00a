import { showBrowser } from "./browse-view.js";
import { find, plural, showLabel } from "./dom.js";
import { showEvaluation } from "./evaluation-view.js";
import { showFeedback } from "./feedback-view.js";
import { askForToken, service, watchToken } from "./service.js";
import { watchUploads } from "./upload.js";
import { createWriteView } from "./write-view.js";

const VIEWS = ["write", "browse", "evaluation", "feedback"] as const;

const write = createWriteView();

/** Shows the view that the address names, with fresh content. */
function route(): void {
  const view = VIEWS.find((name) => location.hash === `#${name}`) ?? "write";
  for (const name of VIEWS) {
    find(name).hidden = name !== view;
    const link = document.querySelector(`nav a[href="#${name}"]`)!;
    if (name === view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (view === "browse") void showBrowser(find(view), write.actions).catch(fail);
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
  write.askSoon();
};
watchUploads(refresh);
watchToken(() => {
  refresh();
  route();
});
window.addEventListener("hashchange", route);
route();
write.start();
void showStats().catch(fail);
