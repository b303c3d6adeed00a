import { basename } from "node:path";

/** Names for notebooks that tell them apart: the path in the source; where that is taken, with the source's last part; else with all of it. */
export function createUniqueNames(): (notebook: { readonly source: string; readonly path: string }) => string {
  const taken = new Set<string>();
  return ({ source, path }) => {
    const name = [path, `${basename(source)}/${path}`, `${source}/${path}`].find((each) => !taken.has(each))!;
    taken.add(name);
    return name;
  };
}
