import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A file or folder that ships with the package, such as `models/embedder`; sources and compiled code lie at different depths. */
export function assetPath(name: string): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return join(folder, name);
}

/** The version of this package. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(assetPath("package.json"), "utf8")) as { version: string }).version;
}
