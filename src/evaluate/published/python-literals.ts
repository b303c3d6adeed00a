import { type Expression, type PythonNumber, PythonSyntaxError } from "./python-syntax.js";

/** A number as the compiler reads it. */
export function readNumber(text: string): PythonNumber {
  const plain = text.replaceAll("_", "").toLowerCase();
  if (/^0[xob]/.test(plain)) return { kind: "int", value: BigInt(plain) };
  if (plain.endsWith("j")) return { kind: "imaginary", value: Number(plain.slice(0, -1)) };
  if (/[.e]/.test(plain)) return { kind: "float", value: Number(plain) };
  return { kind: "int", value: BigInt(plain) };
}

const STRING = /^([A-Za-z]*)('''|"""|'|")([\s\S]*)\2$/;
/** Escapes that stand for one fixed character. */
const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  "\\": "\\",
  "'": "'",
  '"': '"',
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\n": "",
};
const ESCAPE = /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|N\{([^}]+)\}|([\s\S]))/g;
/** Placeholder for a character given by its name, because this program has no table of character names. */
const NAMED_CHARACTER = "\u25a1";

/** How an f-string reads the expressions inside it. */
type ReadExpression = (code: string) => Expression;

/** Adjacent strings are one string; with an f-string among them, one f-string. */
export function readStrings(texts: readonly string[], readExpression: ReadExpression): Expression {
  const parts = texts.map((text) => {
    const [, prefix = "", , body = ""] = STRING.exec(text) ?? [];
    return { flags: prefix.toLowerCase(), body: body.replace(/\r\n?/g, "\n") };
  });
  const isBytes = parts[0]!.flags.includes("b");
  if (parts.some(({ flags }) => flags.includes("b") !== isBytes))
    throw new PythonSyntaxError("Cannot mix bytes and nonbytes literals.");
  if (isBytes) return { type: "Bytes", text: parts.map(({ flags, body }) => readBytes(body, flags)).join("") };
  if (!parts.some(({ flags }) => flags.includes("f"))) {
    return { type: "Str", text: parts.map(({ flags, body }) => unescapeText(body, flags)).join("") };
  }
  const values: Expression[] = [];
  for (const { flags, body } of parts) {
    const pieces: Expression[] = flags.includes("f")
      ? createFormat(body, flags, readExpression).read()
      : [{ type: "Str", text: unescapeText(body, flags) }];
    for (const piece of pieces) addPiece(values, piece);
  }
  return { type: "JoinedStr", values };
}

function addPiece(values: Expression[], piece: Expression): void {
  const last = values.at(-1);
  if (piece.type === "Str" && last?.type === "Str")
    values[values.length - 1] = { type: "Str", text: last.text + piece.text };
  else if (piece.type !== "Str" || piece.text !== "") values.push(piece);
}

function readBytes(body: string, flags: string): string {
  if (/[^\x00-\x7f]/.test(body)) throw new PythonSyntaxError("Bytes outside ASCII.");
  if (flags.includes("r")) return body;
  return body.replace(/\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|([\s\S]))/g, (all, octal, hex, other) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    if (other === "x") throw new PythonSyntaxError("An escape is cut short.");
    return SIMPLE_ESCAPES[other] ?? all;
  });
}

function unescapeText(body: string, flags: string): string {
  if (flags.includes("r")) return body;
  return body.replace(ESCAPE, (all, octal, hex, four, eight, name, other) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
    const code = hex ?? four ?? eight;
    if (code !== undefined) {
      const point = Number.parseInt(code, 16);
      if (point > 0x10ffff) throw new PythonSyntaxError("No such character.");
      return String.fromCodePoint(point);
    }
    if (name !== undefined) return NAMED_CHARACTER;
    if ("xuUN".includes(other)) throw new PythonSyntaxError("An escape is cut short.");
    return SIMPLE_ESCAPES[other] ?? all;
  });
}

const MAX_FORMAT_DEPTH = 2;

/** Reads the text and the replacement fields of one f-string (PEP 498, as Python 3.7 has it). */
function createFormat(body: string, flags: string, readExpression: ReadExpression) {
  let at = 0;
  return {
    read(): Expression[] {
      const values = readParts(0);
      if (at < body.length) throw new PythonSyntaxError("A single } in an f-string.");
      return values;
    },
  };

  function readParts(depth: number): Expression[] {
    const values: Expression[] = [];
    while (at < body.length) {
      addPiece(values, { type: "Str", text: readText(depth) });
      if (at >= body.length || body[at] === "}") break;
      values.push(readField(depth));
    }
    return values;
  }

  /** Up to the next field; `{{` and `}}` are characters, except inside a format specification. */
  function readText(depth: number): string {
    let text = "";
    while (at < body.length) {
      const character = body[at]!;
      if (character === "\\" && !flags.includes("r")) {
        const isNamed = body.startsWith("\\N{", at);
        const end = isNamed ? body.indexOf("}", at) + 1 : at + 2;
        text += body.slice(at, Math.max(end, at + 2));
        at = Math.max(end, at + 2);
        continue;
      }
      if (character === "{" || character === "}") {
        if (depth === 0 && body[at + 1] === character) {
          text += character;
          at += 2;
          continue;
        }
        if (character === "}" && depth === 0) throw new PythonSyntaxError("A single } in an f-string.");
        break;
      }
      text += character;
      at += 1;
    }
    return unescapeText(text, flags);
  }

  function readField(depth: number): Expression {
    if (depth >= MAX_FORMAT_DEPTH) throw new PythonSyntaxError("An f-string is nested too deeply.");
    at += 1;
    const code = readCode();
    if (/^[ \t\n\f\r]*$/.test(code)) throw new PythonSyntaxError("An empty expression in an f-string.");
    const value = readExpression(code);
    let conversion: string | null = null;
    if (body[at] === "!") {
      conversion = body[at + 1] ?? "";
      if (conversion === "" || !"sra".includes(conversion)) throw new PythonSyntaxError("An unknown conversion.");
      at += 2;
    }
    let spec: Expression | null = null;
    if (body[at] === ":") {
      at += 1;
      spec = { type: "JoinedStr", values: readParts(depth + 1) };
    }
    if (body[at] !== "}") throw new PythonSyntaxError("An f-string expects a }.");
    at += 1;
    return { type: "FormattedValue", value, conversion, spec };
  }

  function readCode(): string {
    const start = at;
    let quote: string | null = null;
    let depth = 0;
    for (; at < body.length; at += 1) {
      const character = body[at]!;
      if (character === "\\") throw new PythonSyntaxError("A backslash in an expression of an f-string.");
      if (quote !== null) {
        if (!body.startsWith(quote, at)) continue;
        at += quote.length - 1;
        quote = null;
      } else if (character === "'" || character === '"') {
        quote = body.startsWith(character.repeat(3), at) ? character.repeat(3) : character;
        at += quote.length - 1;
      } else if ("[{(".includes(character)) depth += 1;
      else if (character === "#") throw new PythonSyntaxError("A comment in an expression of an f-string.");
      else if (depth === 0 && "!:}".includes(character)) {
        if (character === "!" && body[at + 1] === "=") at += 1;
        else break;
      } else if ("]})".includes(character)) depth -= 1;
    }
    if (quote !== null || depth !== 0) throw new PythonSyntaxError("Something is left open in an f-string.");
    return body.slice(start, at);
  }
}
