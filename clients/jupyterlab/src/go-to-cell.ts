import type { NotebookPanel } from "@jupyterlab/notebook";

/** Activates a cell and scrolls to it. JupyterLab only renders the nearby cells of a long notebook. */
export async function goToCell({ content }: NotebookPanel, index: number): Promise<void> {
  const cell = content.widgets[index];
  if (cell === undefined) return;
  await content.setFragment(`#cell-id=${cell.model.id}`);
  content.activeCellIndex = index;
}
