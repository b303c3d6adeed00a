import { formatOf, parseBytes } from "./formats.js";
import type { ParsedNotebook } from "./notebook.js";
import { readRegularFile } from "./regular-file.js";

/** Never throws on content; a file that cannot be read is rejected like one that is no notebook. */
export function readNotebookFile(path: string): ParsedNotebook {
  const content = readRegularFile(path);
  return "rejected" in content ? content : parseBytes(formatOf(path), content.bytes);
}
