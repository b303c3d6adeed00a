import { readFileSync } from "node:fs";
import { checkCodeLength } from "../cells/code-length.js";
import { RecommenderError } from "../errors.js";

/** The code of one cell in a file, or on standard input for `-` or nothing. */
export function readCode(path: string | undefined): string {
  const text = readText(path ?? "-");
  checkCodeLength(text);
  return text;
}

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
