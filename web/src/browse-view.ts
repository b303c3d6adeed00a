import type { Client } from "../../src/ask/client.js";
import { markMatches, renderCode, wordsOf } from "./code.js";
import { button, copyButton, element, fileName, link, notebookAddress, plural, showLabel, toolbar } from "./dom.js";
import { type FoundCell, type HitActions, renderFacts } from "./hits.js";
import { renderMarkdown } from "./markdown.js";
import { service } from "./service.js";

type Listed = Awaited<ReturnType<Client["listNotebooks"]>>["notebooks"][number];
type Source = Awaited<ReturnType<Client["listSources"]>>["sources"][number];
type CellActions = Pick<HitActions, "onNewCell">;

/** The parameters in the address. */
interface BrowseFilter {
  readonly q: string;
  readonly label: string;
  readonly source: string;
}

const CELLS = 100;
const PAGE = 1_000;
/** Number of pages of notebooks that are loaded at first. Further pages are loaded on request. */
const MAX_PAGES = 5;
/** Page width below which style.css moves the cells below the facets, which are then folded. */
const NARROW = "(max-width: 60rem)";

/** The view of the index: facets and a folder tree, beside them cells, notebooks, or one notebook. */
export function createBrowser(view: HTMLElement, actions: CellActions) {
  let names: { notebooks: Listed[]; cursor: string | null } | null = null;
  let shownFor = 0;
  const narrow = matchMedia(NARROW);
  narrow.addEventListener("change", () => {
    for (const facets of view.querySelectorAll<HTMLDetailsElement>(".filters")) facets.open = !narrow.matches;
  });

  async function show(): Promise<void> {
    shownFor += 1;
    const current = shownFor;
    const filter = readAddress();
    const [{ labels }, { sources }, listed] = await Promise.all([
      service().countLabels(),
      service().listSources(),
      load(),
    ]);
    const [, id, cellIndex] = /^#notebook\/(\w+)(?:\/(\d+))?/.exec(location.hash) ?? [];
    const hasQuery = filter.q !== "" || filter.label !== "";
    const found = id === undefined && hasQuery ? await findCells(filter) : null;
    const notebook = id === undefined ? null : await renderNotebook(id, cellIndex, actions).catch(explain);
    if (current !== shownFor) return;
    const counts = found?.counts ?? {
      labels: new Map(labels.map(({ label, cells }) => [label, cells])),
      sources: new Map(sources.map((each) => [each.source, each.notebooks])),
    };
    const shown = listed.notebooks.filter(({ source }) => filter.source === "" || source === filter.source);
    const main = element("section", "pane results");
    main.append(
      ...(notebook ?? [
        renderSearch(filter),
        ...(found === null ? renderNotebooks(shown, filter, sources) : renderCells(found.cells, filter, actions)),
      ]),
    );
    const more = listed.cursor === null ? [] : [button("More notebooks", () => void loadMore())];
    const facets = element(
      "details",
      "filters",
      element("summary", "", "Labels, sources and folders"),
      renderFacet(
        "Label",
        "label",
        labels.map(({ label }) => label),
        counts.labels,
        filter,
        showLabel,
      ),
      renderFacet(
        "Source",
        "source",
        sources.map(({ source }) => source),
        counts.sources,
        filter,
        sourceName,
      ),
      renderTree(listed.notebooks, sources, id),
      ...more,
    ) as HTMLDetailsElement;
    facets.open = !narrow.matches;
    const side = element("aside", "pane side", facets);
    side.setAttribute("aria-label", "Facets and notebooks");
    const wasAt = view.querySelector(".side")?.scrollTop ?? 0;
    const wasFocused = document.activeElement?.id ?? "";
    view.replaceChildren(side, main);
    side.scrollTop = wasAt;
    if (wasFocused !== "") document.getElementById(wasFocused)?.focus();
    main.querySelector(".chosen")?.scrollIntoView({ block: "center" });
  }

  async function load(): Promise<{ notebooks: Listed[]; cursor: string | null }> {
    names ??= await loadPages(null, MAX_PAGES);
    return names;
  }

  async function loadMore(): Promise<void> {
    const before = await load();
    const next = await loadPages(before.cursor, MAX_PAGES);
    names = { notebooks: [...before.notebooks, ...next.notebooks].sort(byName), cursor: next.cursor };
    await show();
  }

  return {
    show,
    /** Makes the next `show` reload the list of notebooks. */
    forget(): void {
      names = null;
    },
  };
}

async function loadPages(after: string | null, pages: number) {
  const notebooks: Listed[] = [];
  let cursor = after;
  for (let at = 0; at < pages; at += 1) {
    const page = await service().listNotebooks({ limit: PAGE, ...(cursor !== null && { cursor }) });
    notebooks.push(...page.notebooks);
    cursor = page.cursor;
    if (cursor === null) break;
  }
  return { notebooks: notebooks.sort(byName), cursor };
}

const byName = (one: Listed, other: Listed): number => (one.name < other.name ? -1 : 1);

function readAddress(): BrowseFilter {
  const given = new URLSearchParams(location.hash.split("?")[1] ?? "");
  return { q: given.get("q") ?? "", label: given.get("label") ?? "", source: given.get("source") ?? "" };
}

function addressOf(filter: BrowseFilter): string {
  const given = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ""));
  return given.size === 0 ? "#browse" : `#browse?${given}`;
}

/** The cells, and the number of the best ones by label and source. */
async function findCells({ q, label, source }: BrowseFilter) {
  const within = source === "" ? {} : { sources: [source] };
  const anyLabel = q === "" ? null : service().search({ text: q, k: CELLS, ...within });
  const cells = await (label === "" && anyLabel !== null
    ? anyLabel
    : service().search({ text: q, label, k: CELLS, ...within }));
  const best = (await anyLabel)?.cells;
  const counts = best && {
    labels: countBy(best.flatMap(({ labels }) => labels)),
    sources: countBy(best.map(({ notebook }) => notebook.source)),
  };
  return { cells: cells.cells, counts };
}

function countBy(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function renderSearch(filter: BrowseFilter): HTMLElement {
  const input = element("input") as HTMLInputElement;
  input.type = "search";
  input.id = "words";
  input.value = filter.q;
  input.placeholder = "Words that the cells contain";
  input.setAttribute("aria-label", "Search cells");
  const form = element("form", "search", input, element("button", "primary", "Search"));
  form.setAttribute("role", "search");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    location.hash = addressOf({ ...filter, q: input.value.trim() });
  });
  return form;
}

/** The values of a field, as links that switch the filter on and off. */
function renderFacet(
  title: string,
  field: "label" | "source",
  values: readonly string[],
  counts: ReadonlyMap<string, number>,
  filter: BrowseFilter,
  name: (value: string) => string | HTMLElement,
): HTMLElement {
  const most = Math.max(1, ...counts.values());
  const items = values.map((value) => {
    const isOn = filter[field] === value;
    const count = counts.get(value) ?? 0;
    const bar = element("span", "share");
    bar.style.setProperty("--share", String(count / most));
    const made = link(
      addressOf({ ...filter, [field]: isOn ? "" : value }),
      "facet",
      element("span", "name", name(value)),
      " ",
      element("span", "count", count.toLocaleString("en")),
      bar,
    );
    if (isOn) made.setAttribute("aria-current", "true");
    if (field === "source") made.title = value;
    return element("li", "", made);
  });
  return element("section", "facets", element("h2", "", title), element("ul", "", ...items));
}

/** Shortens a long path to its last two folders. */
const shortSource = (source: string): string => {
  const parts = source.split("/");
  return parts.length > 3 ? `…/${parts.slice(-2).join("/")}` : source;
};

/** The name of a source as an element, with a muted folder part. */
function sourceName(source: string): HTMLElement {
  const short = shortSource(source);
  const cut = short.lastIndexOf("/") + 1;
  return element("span", "", element("span", "quiet", short.slice(0, cut)), short.slice(cut));
}

interface Folder {
  readonly folders: Map<string, Folder>;
  readonly notebooks: Listed[];
}

/** Sources, their folders and notebooks. The filter matches the whole path. */
function renderTree(notebooks: readonly Listed[], sources: readonly Source[], opened: string | undefined): HTMLElement {
  const input = element("input") as HTMLInputElement;
  input.type = "search";
  input.placeholder = "Filter by name";
  input.setAttribute("aria-label", "Filter notebooks");
  const tree = element("div", "tree");
  const draw = () => {
    const wanted = input.value.trim().toLowerCase();
    const shown = notebooks.filter(({ name }) => name.toLowerCase().includes(wanted));
    const isOpen = wanted !== "" || notebooks.length <= 50;
    const parts = sources.map(({ source, notebooks: count }) => {
      const own = shown.filter((each) => each.source === source);
      if (wanted !== "" && own.length === 0) return [];
      const number = wanted === "" ? count.toLocaleString("en") : `${own.length} of ${count.toLocaleString("en")}`;
      const name = element("span", "name", sourceName(source));
      const summary = element("summary", "", name, " ", element("span", "count", number));
      const group = element("details", "", summary, renderFolder(toFolder(own), isOpen, opened, wanted));
      summary.title = source;
      (group as HTMLDetailsElement).open = isOpen || sources.length === 1;
      return [group];
    });
    tree.replaceChildren(...parts.flat());
    if (shown.length === 0 && wanted !== "") tree.append(element("p", "hint", "No notebook has this name."));
  };
  input.addEventListener("input", draw);
  draw();
  return element("section", "facets", element("h2", "", "Notebooks"), input, tree);
}

function toFolder(notebooks: readonly Listed[]): Folder {
  const root: Folder = { folders: new Map(), notebooks: [] };
  for (const notebook of notebooks) {
    let folder = root;
    for (const part of notebook.name.split("/").slice(0, -1)) {
      if (!folder.folders.has(part)) folder.folders.set(part, { folders: new Map(), notebooks: [] });
      folder = folder.folders.get(part)!;
    }
    folder.notebooks.push(notebook);
  }
  return root;
}

function renderFolder(folder: Folder, isOpen: boolean, opened: string | undefined, wanted: string): HTMLElement {
  const folders = [...folder.folders].map(([name, inner]) => {
    const group = element(
      "details",
      "",
      element("summary", "", element("span", "name", `${name}/`)),
      renderFolder(inner, isOpen, opened, wanted),
    ) as HTMLDetailsElement;
    group.open = isOpen;
    return element("li", "", group);
  });
  const files = folder.notebooks.map(({ id, name, cells }) => {
    const text = element("span", "name", name.slice(name.lastIndexOf("/") + 1));
    const made = link(notebookAddress(id), "", markMatches(text, wordsOf(wanted)));
    made.title = name;
    made.append(" ", element("span", "count", String(cells)));
    if (id === opened) made.setAttribute("aria-current", "page");
    return element("li", "", made);
  });
  return element("ul", "", ...folders, ...files);
}

/** Without a search, lists the notebooks. */
function renderNotebooks(
  notebooks: readonly Listed[],
  { source }: BrowseFilter,
  sources: readonly Source[],
): HTMLElement[] {
  if (sources.length === 0)
    return [element("p", "empty", "The index is empty. Upload notebooks, or run celrec index FOLDER.")];
  const rows = notebooks.map(({ id, name, cells, skipped }) => {
    const left = skipped === 0 ? "" : ` · ${skipped} not stored`;
    return element(
      "li",
      "",
      link(notebookAddress(id), "entry", fileName(name), element("span", "quiet", `${plural(cells, "cell")}${left}`)),
    );
  });
  const of = source === "" ? "" : ` of ${shortSource(source)}`;
  const status = element("p", "hint", `${plural(notebooks.length, "notebook")}${of}`);
  status.setAttribute("role", "status");
  return [status, element("ol", "entries", ...rows)];
}

function renderCells(
  cells: readonly FoundCell[],
  { q, label, source }: BrowseFilter,
  actions: CellActions,
): HTMLElement[] {
  const count = cells.length === CELLS ? `The first ${CELLS} cells` : plural(cells.length, "cell");
  const facts = [
    q === "" ? "" : ` with “${q}”`,
    label === "" ? "" : ` labelled ${showLabel(label)}`,
    source === "" ? "" : ` in ${shortSource(source)}`,
    q === "" ? ", the most typical first" : ", the best match first",
  ];
  const status = element("p", "hint", `${count}${cells.length === 0 ? facts.slice(0, 3).join("") : facts.join("")}`);
  status.setAttribute("role", "status");
  const words = wordsOf(q);
  const items = cells.map((cell) => {
    const { notebook, code } = cell;
    const name = link(
      notebookAddress(notebook.id, notebook.cellIndex),
      "",
      fileName(notebook.name, notebook.cellIndex),
    );
    const head = element("header", "", name, renderFacts(cell));
    return element("li", "hit", head, markMatches(renderCode(code), words), renderTools(notebook.name, code, actions));
  });
  return [status, element("ol", "", ...items)];
}

const renderTools = (name: string, code: string, actions: CellActions): HTMLElement =>
  toolbar(
    name,
    button("Add to my notebook", () => actions.onNewCell({ rank: null, code })),
    copyButton(() => code),
  );

/** A stored notebook with its Markdown, and the chosen cell marked. */
async function renderNotebook(id: string, cellIndex: string | undefined, actions: CellActions): Promise<HTMLElement[]> {
  const [{ name, source, cells, location: place, author, licence, skipped }, markdown] = await Promise.all([
    service().getNotebook(id),
    service().getMarkdown(id),
  ]);
  const facts = [author, licence, plural(cells.length, "cell"), skipped > 0 ? `${skipped} not stored` : ""];
  const codes = cells.map((cell) => {
    const number = link(notebookAddress(id, cell.cellIndex), "number", `[${cell.cellIndex}]`);
    const tags = cell.labels.map((label) => element("span", "tag", showLabel(label)));
    const head = element("header", "", number, element("p", "facts", ...tags));
    const tools = renderTools(`Cell ${cell.cellIndex}`, cell.code, actions);
    const isChosen = String(cell.cellIndex) === cellIndex;
    const item = element("li", isChosen ? "hit chosen" : "hit", head, renderCode(cell.code), tools);
    if (isChosen) item.setAttribute("aria-current", "true");
    return { at: cell.cellIndex, item };
  });
  const texts = markdown.cells.map((each) => ({
    at: each.cellIndex,
    item: element("li", "", renderMarkdown(each.text)),
  }));
  const items = [...codes, ...texts].sort((one, other) => one.at - other.at).map(({ item }) => item);
  const back = link("#browse", "", "All notebooks");
  return [
    element("p", "hint", back, " / ", link(addressOf({ q: "", label: "", source }), "", shortSource(source))),
    element("h2", "title", fileName(name)),
    element("p", "hint", facts.filter((fact) => fact !== undefined && fact !== "").join(" · ")),
    ...renderLocation(place),
    element("ol", "", ...items),
  ];
}

/** A URL becomes a link. For a local file only the path is shown, because a page may not open it. */
function renderLocation(place: string | undefined): HTMLElement[] {
  if (place === undefined) return [];
  if (!/^https?:\/\//.test(place))
    return [
      element(
        "p",
        "command",
        element("code", "", place),
        copyButton(() => place, "Copy path"),
      ),
    ];
  const made = link(place, "", place);
  made.rel = "noreferrer";
  return [element("p", "", made)];
}

function explain(error: unknown): HTMLElement[] {
  return [element("p", "empty", (error as Error).message), element("p", "", link("#browse", "", "All notebooks"))];
}
