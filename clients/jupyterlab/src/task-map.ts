import type { INotebookContent } from "@jupyterlab/nbformat";
import type { NotebookPanel } from "@jupyterlab/notebook";
import type { LabelledCell } from "./answers.js";
import { readable } from "./card.js";
import { button, element } from "./element.js";
import { goToCell } from "./go-to-cell.js";
import { withoutOutputs } from "./notebook-json.js";
import type { Service } from "./service.js";

/** Labels are refreshed after a pause, not on each keystroke. */
const PAUSE_MS = 1500;
const BADGE = "jp-celrec-Badge";

export interface TaskMapDeps {
  readonly service: Service;
  readonly isOn: () => boolean;
  readonly current: () => NotebookPanel | null;
  /** The element that contains the map. */
  readonly target: HTMLElement;
}

/** A badge per code cell and a coloured map of the notebook, updated shortly after each change. */
export function createTaskMap({ service, isOn, current, target }: TaskMapDeps) {
  let timer = 0;
  let busy: NotebookPanel | null = null;

  async function show(): Promise<void> {
    const panel = current();
    if (panel === null || !isOn()) return clear(panel);
    if (busy === panel) return schedule();
    busy = panel;
    try {
      const notebook = withoutOutputs(panel.context.model.toJSON() as unknown as INotebookContent);
      const cells = await service.label(notebook);
      if (panel.isDisposed || current() !== panel) return;
      showBadges(panel, cells);
      showMap(panel, cells);
    } catch (error) {
      // Ignored, because the panel reports a missing service.
      console.debug(`celrec: ${(error as Error).message}`);
    } finally {
      busy = null;
    }
  }

  function schedule(pause = PAUSE_MS): void {
    clearTimeout(timer);
    timer = window.setTimeout(() => void show(), pause);
  }

  function clear(panel: NotebookPanel | null): void {
    target.replaceChildren();
    for (const badge of panel?.node.querySelectorAll(`.${BADGE}`) ?? []) badge.remove();
  }

  function showMap(panel: NotebookPanel, cells: readonly LabelledCell[]): void {
    const parts = cells.map(({ index, primary, labels, probabilities }) => {
      const name = labels.length === 0 ? "no label" : labels.map(({ label }) => readable(label)).join(", ");
      const part = button("", `Cell ${index + 1}: ${name}`, () => void goToCell(panel, index));
      part.className = "jp-celrec-Task";
      part.style.background = colourOf(primary, probabilities);
      return part;
    });
    const strip = element("div", "jp-celrec-Map", ...parts);
    strip.setAttribute("role", "group");
    strip.setAttribute("aria-label", "Tasks of this notebook");
    const names = Object.keys(cells[0]?.probabilities ?? {});
    const used = names.filter((name) => cells.some(({ primary }) => primary === name));
    const legend = element("div", "jp-celrec-Legend");
    for (const name of used) {
      const swatch = element("span", "jp-celrec-Swatch");
      swatch.style.background = colourOf(name, cells[0]!.probabilities);
      legend.append(element("span", "", swatch, readable(name)));
    }
    target.replaceChildren(strip, legend);
  }

  return { refresh: schedule, clear: () => clear(current()) };
}

function showBadges(panel: NotebookPanel, cells: readonly LabelledCell[]): void {
  const byIndex = new Map(cells.map((cell) => [cell.index, cell]));
  for (const [index, { node }] of panel.content.widgets.entries()) {
    const found = byIndex.get(index);
    const badge = node.querySelector<HTMLElement>(`:scope > .${BADGE}`);
    if (found === undefined || found.primary === null) {
      badge?.remove();
      continue;
    }
    const shown = badge ?? node.appendChild(element("span", BADGE));
    const text = found.labels.map(({ label }) => readable(label)).join(", ");
    if (shown.textContent !== text) shown.textContent = text;
    shown.title = found.labels
      .map(({ label, probability }) => `${readable(label)} ${Math.round(100 * probability)} %`)
      .join(", ");
    shown.style.setProperty("--celrec-task", colourOf(found.primary, found.probabilities));
  }
}

/** A label's colour is chosen by its position in the label set; the style sheet has eight. */
function colourOf(label: string | null, probabilities: Readonly<Record<string, number>>): string {
  const at = label === null ? -1 : Object.keys(probabilities).indexOf(label);
  return at === -1 ? "var(--celrec-task-none)" : `var(--celrec-task-${at % 8})`;
}
