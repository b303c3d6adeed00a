import { createScanner, type JSONScanner } from "jsonc-parser";

/** Where a value stands in a JSON text: from `start` up to `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Member extends Span {
  readonly key: string;
}

/** The span of the value at or after `from`. The text must be valid JSON; nothing here recurses, however deep it is. */
export function valueAt(text: string, from: number): Span {
  return readValue(text, scan(text, from));
}

/** The members of the object that starts at `start`; of a key that comes twice the last one counts, as in JSON.parse. */
export function membersAt(text: string, start: number): Member[] {
  const members = new Map<string, Member>();
  const scanner = scan(text, start + 1);
  while (firstOf(text, scanner) === '"') {
    const key = scanner.getTokenValue();
    scanner.scan(); // the colon
    scanner.scan();
    members.set(key, { key, ...readValue(text, scanner) });
    if (firstOf(text, scanner) === ",") scanner.scan();
  }
  return [...members.values()];
}

/** The elements of the array that starts at `start`. */
export function elementsAt(text: string, start: number): Span[] {
  const elements: Span[] = [];
  const scanner = scan(text, start + 1);
  while (firstOf(text, scanner) !== "]") {
    elements.push(readValue(text, scanner));
    if (firstOf(text, scanner) === ",") scanner.scan();
  }
  return elements;
}

function scan(text: string, from: number): JSONScanner {
  const scanner = createScanner(text, true);
  scanner.setPosition(from);
  scanner.scan();
  return scanner;
}

/** The first character of the token that the scanner stands on; the package's kinds are const enums, which modules cannot import. */
function firstOf(text: string, scanner: JSONScanner): string | undefined {
  return text[scanner.getTokenOffset()];
}

/** The span of the value that the scanner stands on; afterwards it stands on the token behind it. */
function readValue(text: string, scanner: JSONScanner): Span {
  const start = scanner.getTokenOffset();
  let end = start;
  let depth = 0;
  do {
    const first = firstOf(text, scanner);
    if (first === undefined) break;
    if (first === "{" || first === "[") depth += 1;
    else if (first === "}" || first === "]") depth -= 1;
    end = scanner.getTokenOffset() + scanner.getTokenLength();
    scanner.scan();
  } while (depth > 0);
  return { start, end };
}
