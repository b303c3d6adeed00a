import { createReadStream } from "node:fs";
import { RecommenderError } from "../../errors.js";

/**
 * The rows of a CSV file as it streams by, by the names of its first row. Fields may be quoted and hold line ends. INPUT_INVALID
 * where a column of `needed` is missing.
 */
export async function* readCsv(
  file: string,
  needed: readonly string[] = [],
): AsyncGenerator<ReadonlyMap<string, string>> {
  let names: string[] | null = null;
  for await (const row of splitRows(createReadStream(file, "utf8"))) {
    if (names === null) {
      names = row.map((name) => name.replace(/^\uFEFF/, ""));
      const missing = needed.find((name) => !names!.includes(name));
      if (missing !== undefined)
        throw new RecommenderError(
          "INPUT_INVALID",
          `${file} has no column ${missing}; its columns are ${names.join(", ").slice(0, MOST_SHOWN)}.`,
        );
    } else yield new Map(row.map((field, place) => [names![place] ?? "", field]));
  }
}

const MOST_SHOWN = 200;

async function* splitRows(stream: AsyncIterable<string>): AsyncGenerator<string[]> {
  let row: string[] = [];
  let field = "";
  let isQuoted = false;
  let rest = "";
  for await (const chunk of stream) {
    const text: string = rest + chunk;
    // The last character waits for the next one: a quote alone does not tell whether it is doubled.
    rest = text.slice(-1);
    for (let at = 0; at < text.length - 1; at += 1) {
      const char = text[at]!;
      if (isQuoted && char === '"' && text[at + 1] === '"') {
        field += '"';
        at += 1;
        if (at === text.length - 1) rest = "";
      } else if (char === '"') isQuoted = !isQuoted;
      else if (isQuoted || (char !== "," && char !== "\n")) field += char;
      else {
        row.push(char === "\n" ? field.replace(/\r$/, "") : field);
        field = "";
        if (char === ",") continue;
        yield row;
        row = [];
      }
    }
  }
  const last = rest === "\n" || (rest === '"' && isQuoted) ? "" : rest;
  if (field + last !== "" || row.length > 0) yield [...row, field + last];
}
