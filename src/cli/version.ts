import { readFileSync } from "node:fs";
import { assetPath } from "../assets.js";

/** The version of this package. */
export function packageVersion(): string {
  const manifest = readFileSync(assetPath("package.json"), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
