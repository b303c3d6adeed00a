import type { INotebookContent } from "@jupyterlab/nbformat";
import type { NotebookPanel } from "@jupyterlab/notebook";
import type { Contents } from "@jupyterlab/services";
import { withoutOutputs } from "./notebook-json.js";
import type { Notice } from "./notices.js";
import type { Service } from "./service.js";

export interface IndexingDeps {
  readonly service: Service;
  readonly contents: Contents.IManager;
  readonly report: (notice: Notice) => void;
  /** Called when the index has changed. */
  readonly onChange: () => void;
}

/** Indexes notebooks of this Jupyter server. */
export function createIndexing({ service, contents, report, onChange }: IndexingDeps) {
  /** Number of new cells; an error if the service refuses the notebook. */
  async function upload(path: string, notebook: INotebookContent): Promise<number> {
    const { notebooks, rejected } = await service.upload(path, withoutOutputs(notebook));
    if (rejected[0] !== undefined) throw new Error(rejected[0].reason);
    return notebooks.reduce((sum, each) => sum + each.new, 0);
  }

  async function indexPanel(panel: NotebookPanel, isQuiet = false): Promise<void> {
    const { path, model } = panel.context;
    try {
      const added = await upload(path, model.toJSON() as unknown as INotebookContent);
      if (!isQuiet) report({ kind: "done", message: `${path} is in the index; ${added} of its cells are new.` });
      onChange();
    } catch (error) {
      report({ kind: "problem", message: `celrec could not index ${path}: ${(error as Error).message}` });
    }
  }

  async function indexPaths(paths: readonly string[]): Promise<void> {
    const stopped = new AbortController();
    const onStop = () => stopped.abort();
    report({ kind: "progress", message: "Looking for notebooks…", share: 0, onStop });
    const found: string[] = [];
    for (const path of paths) found.push(...(await findNotebooks(contents, path)));
    const refused: string[] = [];
    let [stored, added] = [0, 0];
    for (const [at, path] of found.entries()) {
      if (stopped.signal.aborted) break;
      const message = `Indexing ${at + 1} of ${found.length}: ${path}`;
      report({ kind: "progress", message, share: at / found.length, onStop });
      try {
        const { content } = await contents.get(path, { type: "notebook", content: true });
        added += await upload(path, content as INotebookContent);
        stored += 1;
      } catch (error) {
        refused.push(`${path}: ${(error as Error).message}`);
      }
    }
    const message = [
      `${stored} of ${found.length} notebooks are in the index, ${added} new cells.`,
      ...refused.slice(0, 3),
    ];
    report({ kind: refused.length > 0 ? "problem" : "done", message: message.join(" ") });
    onChange();
  }

  return {
    indexPanel,
    indexPaths,
    countNotebooks: async (path: string) => (await findNotebooks(contents, path)).length,
  };
}

/** The notebooks in a folder and its subfolders, except hidden ones. A notebook's own path gives that notebook. */
async function findNotebooks(contents: Contents.IManager, path: string): Promise<string[]> {
  const { type, content } = await contents.get(path, { content: !path.endsWith(".ipynb") });
  if (type === "notebook") return [path];
  if (type !== "directory") return [];
  const entries = (content as Contents.IModel[]).filter(({ name }) => !name.startsWith("."));
  const found: string[] = [];
  for (const entry of entries) {
    if (entry.type === "notebook") found.push(entry.path);
    if (entry.type === "directory") found.push(...(await findNotebooks(contents, entry.path)));
  }
  return found;
}
