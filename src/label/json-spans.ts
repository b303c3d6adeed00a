/** Where a value stands in a JSON text: from `start` up to `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Member extends Span {
  readonly key: string;
  readonly keyStart: number;
}

const SPACE = /\s*/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const WORD = /[^\s,:\]}]+/y;

/** The span of the value at or after `from`. The text must be valid JSON; nothing here recurses, however deep it is. */
export function valueAt(text: string, from: number): Span {
  const start = skip(SPACE, text, from);
  const first = text[start];
  if (first === '"') return { start, end: skip(STRING, text, start) };
  if (first !== "{" && first !== "[") return { start, end: skip(WORD, text, start) };
  let depth = 0;
  let at = start;
  do {
    const char = text[at]!;
    if (char === '"') {
      at = skip(STRING, text, at);
      continue;
    }
    if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") depth -= 1;
    at += 1;
  } while (depth > 0);
  return { start, end: at };
}

/** The members of the object that starts at `start`; of a key that comes twice the last one counts, as in JSON.parse. */
export function membersAt(text: string, start: number): Member[] {
  const members = new Map<string, Member>();
  let at = skip(SPACE, text, start + 1);
  while (text[at] === '"') {
    const keyEnd = skip(STRING, text, at);
    const key = JSON.parse(text.slice(at, keyEnd)) as string;
    const value = valueAt(text, skip(SPACE, text, keyEnd) + 1);
    members.set(key, { key, keyStart: at, ...value });
    at = next(text, value.end);
  }
  return [...members.values()];
}

/** The elements of the array that starts at `start`. */
export function elementsAt(text: string, start: number): Span[] {
  const elements: Span[] = [];
  let at = skip(SPACE, text, start + 1);
  while (text[at] !== "]") {
    const element = valueAt(text, at);
    elements.push(element);
    at = next(text, element.end);
  }
  return elements;
}

/** Behind the comma, if there is one, and the space around it. */
function next(text: string, from: number): number {
  const at = skip(SPACE, text, from);
  return text[at] === "," ? skip(SPACE, text, at + 1) : at;
}

function skip(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}
