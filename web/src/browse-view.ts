import { button, element, plural, showLabel } from "./dom.js";
import { type HitActions, renderFound } from "./hits.js";
import { openNotebook } from "./notebook-view.js";
import { service } from "./service.js";

const CELLS = 30;
const PAGE = 200;
/** Width below which style.css puts the cells under the labels. */
const NARROW = "(max-width: 60rem)";

/** The index by label and by source. */
export async function showBrowser(view: HTMLElement, actions: HitActions): Promise<void> {
  const { labels } = await service().countLabels();
  const most = Math.max(1, ...labels.map(({ cells }) => cells));
  const shown = element("div");
  const title = element("h2", "", "Cells");
  const status = element("p", "hint", "Choose a label.");
  status.setAttribute("role", "status");
  const list = element("ol");
  shown.append(title, status, list);
  const choose = async (label: string, chosen: HTMLElement) => {
    for (const other of chosen.closest("ul")!.querySelectorAll("button")) other.removeAttribute("aria-pressed");
    chosen.setAttribute("aria-pressed", "true");
    const { cells } = await service().search({ text: "", label, k: CELLS });
    status.textContent = `${plural(cells.length, "cell")} of ${showLabel(label)}, the most typical first`;
    list.replaceChildren(...cells.map((cell) => renderFound(cell, actions)));
    if (matchMedia(NARROW).matches) shown.scrollIntoView();
  };
  const items = labels.map(({ label, cells }) => {
    const bar = element("span", "share");
    bar.style.setProperty("--share", String(cells / most));
    const chosen: HTMLButtonElement = button(
      `${showLabel(label)} `,
      `${showLabel(label)}, ${plural(cells, "cell")}`,
      () => void choose(label, chosen),
      "choice",
    );
    chosen.append(element("span", "quiet", cells.toLocaleString("en")), bar);
    return element("li", "", chosen);
  });
  const byLabel = element("section", "", element("h2", "", "By label"), element("ul", "choices", ...items));
  const sources = element("section", "", element("h2", "", "By source"));
  view.replaceChildren(element("div", "playground", element("div", "", byLabel, sources), shown));
  for (const { source, notebooks } of (await service().listSources()).sources) addSource(sources, source, notebooks);
  await addNotebooks(sources);
}

/** Notebooks under their sources, a page at a time. */
async function addNotebooks(section: HTMLElement, cursor?: string): Promise<void> {
  const page = await service().listNotebooks({ limit: PAGE, ...(cursor !== undefined && { cursor }) });
  for (const { id, source, name, cells } of page.notebooks.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const open = button(name, `Open ${name}`, () => void openNotebook(id), "link");
    listOf(section, source).append(element("li", "", open, element("span", "quiet", ` ${plural(cells, "cell")}`)));
  }
  if (page.cursor === null) return;
  const more = button("More notebooks", "", () => {
    more.remove();
    void addNotebooks(section, page.cursor ?? undefined);
  });
  section.append(more);
}

function listOf(section: HTMLElement, source: string): HTMLElement {
  const known = [...section.querySelectorAll<HTMLElement>("details")].find((each) => each.dataset.source === source);
  // A source that was added after the list was read has no count.
  return known?.querySelector("ul") ?? addSource(section, source);
}

function addSource(section: HTMLElement, source: string, notebooks?: number): HTMLElement {
  const list = element("ul", "names");
  const count = notebooks === undefined ? "" : ` ${plural(notebooks, "notebook")}`;
  const summary = element("summary", "", source, element("span", "quiet", count));
  const group = element("details", "source", summary, list) as HTMLDetailsElement;
  group.dataset.source = source;
  group.open = section.querySelector("details") === null;
  section.append(group);
  return list;
}
