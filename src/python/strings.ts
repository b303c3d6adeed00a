interface OpenString {
  readonly body: number;
  readonly quote: string;
  readonly interpolated: boolean;
}

const PREFIX = /([rR][bBfFtT]|[bBfFtTuU][rR]|[rRbBuUfFtT])?("""|'''|"|')/y;
const WORD = /[A-Za-z_]\w*/y;
/** Maximum length of a replacement field; the limit prevents reading broken text repeatedly. */
const MAX_FIELD_LENGTH = 500;

/** The end of the string literal at `start`, and whether it is closed; null if there is none. */
export function scanString(code: string, start: number): { end: number; closed: boolean } | null {
  const string = openString(code, start);
  return string === null ? null : scanBody(code, string);
}

function openString(code: string, start: number): OpenString | null {
  PREFIX.lastIndex = start;
  const match = PREFIX.exec(code);
  if (match === null) return null;
  return { body: PREFIX.lastIndex, quote: match[2]!, interpolated: /[ft]/i.test(match[1] ?? "") };
}

const NEWLINE = 10;
const BACKSLASH = 92;
const BRACE = 123;

function scanBody(code: string, { body, quote, interpolated }: OpenString): { end: number; closed: boolean } {
  const mark = quote.charCodeAt(0);
  const isTriple = quote.length > 1;
  let fields = interpolated;
  let at = body;
  while (at < code.length) {
    const char = code.charCodeAt(at);
    if (char === mark && (!isTriple || code.startsWith(quote, at))) return { end: at + quote.length, closed: true };
    if (char === NEWLINE && !isTriple) return { end: at, closed: false };
    if (char === BACKSLASH) at += escapeLength(code, at, fields);
    else if (fields && char === BRACE) {
      const end = fieldEnd(code, at, quote, at + MAX_FIELD_LENGTH);
      // The field is never closed, so the rest is read like a string without fields.
      fields = end !== -1;
      at = fields ? end : at + 1;
    } else at += 1;
  }
  return { end: code.length, closed: false };
}

/** A backslash escapes the next character, but not the brace that starts a field. */
function escapeLength(code: string, at: number, fields: boolean): number {
  return fields && code[at + 1] === "{" ? 1 : 2;
}

/**
 * The end of the replacement field, or of the doubled brace, at `start`; -1 if it does not end before `limit`. Since
 * Python 3.12 a field may contain the quotes of its own string, line breaks and comments. Older Python rejects these,
 * so one reading fits all versions.
 */
function fieldEnd(code: string, start: number, quote: string, limit: number): number {
  if (code[start + 1] === "{") return start + 2;
  let depth = 0;
  let at = start + 1;
  while (at < limit && at < code.length) {
    const char = code[at]!;
    const end = partEnd(code, at, limit);
    if (end === -1) return -1;
    if (end > at) {
      at = end;
      continue;
    }
    if (depth === 0 && char === "}") return at + 1;
    if (depth === 0 && char === ":") return formatEnd(code, at + 1, quote, limit);
    if ("([{".includes(char)) depth += 1;
    else if (")]}".includes(char)) depth -= 1;
    if (depth < 0) return -1;
    at += 1;
  }
  return -1;
}

/**
 * The end of the string, word, comment or line continuation that starts at `at`. Returns `at` if none starts there, and
 * -1 if it is not closed.
 */
function partEnd(code: string, at: number, limit: number): number {
  const string = openString(code, at);
  if (string !== null) return nestedEnd(code, string, limit);
  WORD.lastIndex = at;
  if (WORD.test(code)) return WORD.lastIndex;
  if (code[at] === "\\") return code[at + 1] === "\n" ? at + 2 : -1;
  let end = at;
  if (code[at] === "#") while (end < limit && end < code.length && code[end] !== "\n") end += 1;
  return end;
}

/** The end of a string inside a field. A broken string makes the field invalid, so no text is read twice. */
function nestedEnd(code: string, { body, quote, interpolated }: OpenString, limit: number): number {
  let at = body;
  while (at < limit && at < code.length) {
    const char = code[at]!;
    if (code.startsWith(quote, at)) return at + quote.length;
    if (char === "\n" && quote.length === 1) return -1;
    if (char === "\\") at += escapeLength(code, at, interpolated);
    else if (interpolated && char === "{") {
      // Each level gets half of the remaining limit, so many unclosed fields are abandoned early.
      at = fieldEnd(code, at, quote, at + (limit - at) / 2);
      if (at === -1) return -1;
    } else at += 1;
  }
  return -1;
}

/** The end of a field whose format specification starts at `from`; it may hold fields of its own. */
function formatEnd(code: string, from: number, quote: string, limit: number): number {
  let at = from;
  while (at < limit && at < code.length) {
    const char = code[at]!;
    if (code.startsWith(quote, at) || (char === "\n" && quote.length === 1)) return -1;
    if (char === "}") return at + 1;
    at = char === "{" ? fieldEnd(code, at, quote, limit) : at + 1;
    if (at === -1) return -1;
  }
  return -1;
}
