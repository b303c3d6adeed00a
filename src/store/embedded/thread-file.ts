import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The module of a thread. Threads run compiled code; from the sources, as tests run them, it lies in `dist`. */
export function threadFile(name: string): URL {
  const beside = new URL(`${name}.js`, import.meta.url);
  return existsSync(fileURLToPath(beside))
    ? beside
    : new URL(`../../../dist/src/store/embedded/${name}.js`, import.meta.url);
}
