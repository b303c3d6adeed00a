import { readFileSync } from "node:fs";
import { RecommenderError } from "../errors.js";

/** The text of a file, or of standard input for `-`. */
export function readText(path: string): string {
  try {
    return readFileSync(path === "-" ? 0 : path, "utf8");
  } catch (cause) {
    const reason =
      (cause as NodeJS.ErrnoException).code === "ENOENT" ? "there is no such file" : (cause as Error).message;
    throw new RecommenderError("NOT_FOUND", `${path === "-" ? "Standard input" : path} cannot be read: ${reason}.`, {
      cause,
    });
  }
}
