import type { JupyterFrontEnd } from "@jupyterlab/application";
import { MainAreaWidget } from "@jupyterlab/apputils";
import type { IDocumentManager } from "@jupyterlab/docmanager";
import { NotebookPanel } from "@jupyterlab/notebook";
import { Widget } from "@lumino/widgets";
import { type Origin, SOURCE } from "./answers.js";
import type { RenderCode } from "./code-lines.js";
import { element } from "./element.js";
import { goToCell } from "./go-to-cell.js";
import { icon } from "./icon.js";
import type { Service } from "./service.js";

export interface OriginDeps {
  readonly app: JupyterFrontEnd;
  readonly documents: IDocumentManager;
  readonly service: Service;
  readonly renderCode: RenderCode;
}

/** Opens the notebook of a recommendation at its cell: the file, its web page, or its indexed cells. */
export async function openOrigin(origin: Origin, deps: OriginDeps): Promise<void> {
  if (origin.source === SOURCE && (await isThere(origin.name, deps))) return openFile(origin, deps);
  if (/^https?:\/\//.test(origin.location ?? "")) {
    window.open(origin.location, "_blank", "noopener");
    return;
  }
  await showStored(origin, deps);
}

function isThere(path: string, { documents }: OriginDeps): Promise<boolean> {
  return documents.services.contents.get(path, { content: false }).then(
    () => true,
    () => false,
  );
}

async function openFile({ name, cellIndex }: Origin, { documents }: OriginDeps): Promise<void> {
  const panel = documents.openOrReveal(name, "Notebook");
  if (!(panel instanceof NotebookPanel)) return;
  await panel.context.ready;
  await panel.revealed;
  await goToCell(panel, cellIndex);
}

/** A page with the stored cells, for notebooks that are not files of this server. */
async function showStored(origin: Origin, { app, service, renderCode }: OriginDeps): Promise<void> {
  const id = `celrec-origin-${origin.id}`;
  const notebook = await service.getNotebook(origin.id);
  const content = new Widget();
  content.addClass("jp-celrec-Stored");
  content.node.append(element("h2", "", origin.title ?? origin.name));
  const facts = [origin.source, origin.author, origin.licence, origin.location].filter(Boolean).join(" · ");
  content.node.append(element("p", "jp-celrec-Facts", `From the index: ${facts}`));
  for (const { cellIndex, code } of notebook.cells) {
    const cell = element("pre", "jp-celrec-Code", ...renderCode(code.split("\n")));
    cell.setAttribute("aria-label", `Cell ${cellIndex}`);
    if (cellIndex === origin.cellIndex) cell.classList.add("jp-mod-origin");
    content.node.append(cell);
  }
  const widget = new MainAreaWidget({ content });
  widget.id = `${id}-${Date.now()}`;
  widget.title.label = origin.title ?? origin.name;
  widget.title.icon = icon;
  widget.title.closable = true;
  app.shell.add(widget, "main");
  app.shell.activateById(widget.id);
  requestAnimationFrame(() => content.node.querySelector(".jp-mod-origin")?.scrollIntoView({ block: "center" }));
}
