import { PathExt } from "@jupyterlab/coreutils";
import { SOURCE } from "./answers.js";
import { button, element } from "./element.js";
import type { Service } from "./service.js";

/** A group of notebooks that are removed together. */
interface Group {
  readonly name: string;
  readonly count: number;
  /** The label of the button. */
  readonly action: string;
  readonly remove: () => Promise<void>;
}

export interface IndexedDeps {
  readonly service: Service;
  readonly onChange: () => void;
  readonly onProblem: (error: unknown) => void;
}

/** The list of indexed notebooks by folder, loaded when it is opened. */
export function createIndexedList({ service, onChange, onProblem }: IndexedDeps) {
  const list = element("ul", "jp-celrec-Groups");
  const node = element("details", "jp-celrec-Indexed", element("summary", "", "What is indexed"), list);
  node.addEventListener("toggle", () => void refresh());

  async function refresh(): Promise<void> {
    if (!node.open) return;
    try {
      const groups = await readGroups(service);
      list.replaceChildren(...(groups.length === 0 ? [element("li", "", "Nothing yet.")] : groups.map(renderGroup)));
    } catch (error) {
      onProblem(error);
    }
  }

  function renderGroup({ name, count, action, remove }: Group): HTMLElement {
    const text = `${name}: ${count} ${count === 1 ? "notebook" : "notebooks"}`;
    const made = button(action, `${action}: ${name}`, () => {
      made.disabled = true;
      remove().then(onChange, onProblem).finally(refresh);
    });
    return element("li", "", element("span", "", text), made);
  }

  return { node, refresh };
}

/** The folders of this Jupyter server first, then the samples and other sources. */
async function readGroups(service: Service): Promise<Group[]> {
  const folders = new Map<string, string[]>();
  for (const { id, source, name } of await service.listNotebooks()) {
    if (source !== SOURCE) continue;
    const folder = PathExt.dirname(name) || "/";
    folders.set(folder, [...(folders.get(folder) ?? []), id]);
  }
  const own = [...folders]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, ids]): Group => {
      const remove = async () => {
        for (const id of ids) await service.deleteNotebook(id);
      };
      return { name, count: ids.length, action: "Remove", remove };
    });
  const sources = (await service.listSources()).filter(({ source }) => source !== SOURCE);
  const others = sources.map(({ id, source, notebooks }): Group => {
    const isSamples = source === "samples";
    const [name, action] = isSamples ? ["The samples", "Remove the samples"] : [source, "Remove"];
    return { name, count: notebooks, action, remove: () => service.forgetSource(id) };
  });
  return [...own, ...others];
}
