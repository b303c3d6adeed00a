import { nameParts } from "./name-parts.js";

const EXTENSION = /\.([a-z][a-z0-9]{1,5})(?:\.gz)?$/i;
/** A longer string is text of its own, not an option. */
const LONGEST_OPTION = 24;

/** Lower-case words of short strings, and `.csv` for a string that ends in it. */
export function readString(text: string, strings: Set<string>): void {
  if (text.length > 200) return;
  const quote = text.search(/["']/);
  const body = text.slice(quote + 1, text.endsWith(text[quote]!) ? -1 : undefined);
  const extension = EXTENSION.exec(body);
  if (extension !== null) strings.add(`.${extension[1]!.toLowerCase()}`);
  if (body.startsWith("http")) strings.add("http");
  if (body.length <= LONGEST_OPTION && /^[\w ]+$/.test(body)) for (const part of nameParts(body)) strings.add(part);
}

/** First words of magics and shell lines: `%matplotlib`, `!pip`. */
export function readMagic(text: string, magics: Set<string>): void {
  const [first, second] = text.split(/\s+/, 2);
  if (first !== undefined) magics.add(first === "!" || first === "%" ? `${first}${second ?? ""}` : first);
}
