import type { NotebookPanel } from "@jupyterlab/notebook";

/** Makes a cell the active one and brings it into view; of a long notebook JupyterLab has only the cells near by in the page. */
export async function goToCell({ content }: NotebookPanel, index: number): Promise<void> {
  const cell = content.widgets[index];
  if (cell === undefined) return;
  await content.setFragment(`#cell-id=${cell.model.id}`);
  content.activeCellIndex = index;
}
