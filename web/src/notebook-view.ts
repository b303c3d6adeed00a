import { renderCode } from "./code.js";
import { button, element, find, plural, showLabel } from "./dom.js";
import { service } from "./service.js";

/** Shows a stored notebook, scrolled to a cell if one is given. */
export async function openNotebook(id: string, cellIndex?: number): Promise<void> {
  const dialog = find<HTMLDialogElement>("notebook");
  const { name, source, cells, location, author, licence, skipped } = await service().getNotebook(id);
  const title = element("h2", "", name);
  title.id = "notebook-name";
  const facts = [source, author, licence, plural(cells.length, "cell"), skipped > 0 ? `${skipped} not stored` : ""];
  const close = button("Close", "Close the notebook", () => dialog.close());
  const items = cells.map((cell) => {
    const head = element("p", "hint", `[${cell.cellIndex}] `, ...cell.labels.map((each) => tag(each)));
    const item = element("li", cell.cellIndex === cellIndex ? "hit chosen" : "hit", head, renderCode(cell.code));
    if (cell.cellIndex === cellIndex) item.setAttribute("aria-current", "true");
    return item;
  });
  dialog.replaceChildren(
    element("header", "", title, close),
    element("p", "hint", facts.filter((fact) => fact !== undefined && fact !== "").join(" · ")),
    ...renderLocation(location),
    element("ol", "", ...items),
  );
  dialog.showModal();
  dialog.querySelector(".chosen")?.scrollIntoView({ block: "center" });
}

const tag = (label: string) => element("span", "tag", showLabel(label));

/** A URL becomes a link. For a local file only the path is shown, because a page may not open it. */
function renderLocation(location: string | undefined): HTMLElement[] {
  if (location === undefined) return [];
  if (!/^https?:\/\//.test(location)) {
    const copy = button("Copy path", "", () => void navigator.clipboard.writeText(location));
    return [element("p", "row", element("code", "", location), copy)];
  }
  const link = element("a", "", location) as HTMLAnchorElement;
  link.href = location;
  link.rel = "noreferrer";
  return [element("p", "", link)];
}
