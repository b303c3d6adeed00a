import type { INotebookContent } from "@jupyterlab/nbformat";

/** The notebook without outputs: the service only gets the sources and the language. */
export function withoutOutputs(notebook: INotebookContent): INotebookContent {
  const { kernelspec, language_info } = notebook.metadata ?? {};
  return {
    nbformat: notebook.nbformat,
    nbformat_minor: notebook.nbformat_minor,
    metadata: { ...(kernelspec && { kernelspec }), ...(language_info && { language_info }) },
    cells: notebook.cells.map(({ cell_type, source }) => ({
      cell_type,
      source,
      metadata: {},
      ...(cell_type === "code" && { outputs: [], execution_count: null }),
    })),
  };
}
