import { readFileSync } from "node:fs";
import { RecommenderError } from "../errors.js";

const LONGEST_CODE = 256 * 1024;

/** The code of one cell in a file, or on standard input for `-` or nothing. */
export function readCode(path: string | undefined): string {
  const text = readText(path ?? "-");
  const bytes = Buffer.byteLength(text);
  if (bytes <= LONGEST_CODE) return text;
  throw new RecommenderError("TOO_LARGE", `The code has ${bytes} bytes; at most ${LONGEST_CODE} (256 KB) are taken.`);
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
