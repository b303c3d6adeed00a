const PREFIX = /(?:[rR][bBfFtT]|[bBfFtT][rR]|[rRbBuUfFtT])?(?:"""|'''|"|')/y;

/** Where the string literal that starts at `start` ends, and whether it was closed; null where none starts there. */
export function scanString(code: string, start: number): { end: number; closed: boolean } | null {
  PREFIX.lastIndex = start;
  const match = PREFIX.exec(code);
  if (match === null) return null;
  const quote = match[0].replace(/^[a-z]+/i, "");
  const interpolated = /^[a-z]*[ft]/i.test(match[0]);
  return scanBody(code, PREFIX.lastIndex, quote, interpolated);
}

function scanBody(code: string, from: number, quote: string, interpolated: boolean): { end: number; closed: boolean } {
  const multiline = quote.length === 3;
  let at = from;
  while (at < code.length) {
    const char = code[at]!;
    if (char === "\\") at += 2;
    else if (code.startsWith(quote, at)) return { end: at + quote.length, closed: true };
    else if (char === "\n" && !multiline) return { end: at, closed: false };
    else if (interpolated && char === "{") at = code[at + 1] === "{" ? at + 2 : scanField(code, at + 1, quote);
    else at += 1;
  }
  return { end: code.length, closed: false };
}

/**
 * The end of a replacement field of an f-string. Since Python 3.12 the field may hold the quotes of its own string; in
 * older Python it cannot, so reading them as nested strings is right for both.
 */
function scanField(code: string, from: number, quote: string): number {
  let depth = 0;
  let at = from;
  while (at < code.length) {
    const char = code[at]!;
    if (char === "\n" && quote.length === 1) return at;
    if (char === "'" || char === '"') {
      const nested = scanString(code, at)!;
      // A field that was never closed: the quote belongs to the string around it.
      if (!nested.closed) return at;
      at = nested.end;
      continue;
    }
    if (depth === 0 && char === "}") return at + 1;
    if (depth === 0 && char === ":") return scanFormat(code, at + 1, quote);
    if ("([{".includes(char)) depth += 1;
    else if (")]}".includes(char)) depth -= 1;
    at += 1;
  }
  return at;
}

/** The end of a field whose format specification starts at `from`; it may hold fields of its own. */
function scanFormat(code: string, from: number, quote: string): number {
  let at = from;
  while (at < code.length && !code.startsWith(quote, at) && !(code[at] === "\n" && quote.length === 1)) {
    if (code[at] === "}") return at + 1;
    at = code[at] === "{" ? scanField(code, at + 1, quote) : at + 1;
  }
  return at;
}
