import type { PythonNumber } from "./python-syntax.js";

/** The smallest float that Python writes with an exponent. */
const MIN_EXPONENT_ABOVE = 16;
const MAX_EXPONENT_BELOW = -5;
/** Shorter strings are never put into triple quotes. */
const MIN_TRIPLE_QUOTED = 20;
const MAX_LINE = 100;

/** Python's white space, which `str.strip` removes. */
const SPACE = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
const LEADING_SPACE = new RegExp(`^${SPACE}+`);
const TRAILING_SPACE = new RegExp(`${SPACE}+$`);
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;
const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** The length in characters as Python counts them. */
export function lengthOf(text: string): number {
  let surrogates = 0;
  for (const _ of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) surrogates += 1;
  return text.length - surrogates;
}

/** A number as astor writes it: `repr`, with 1e1000 for infinity. */
export function reprNumber({ kind, value }: PythonNumber): string {
  if (kind === "int") return String(value);
  if (kind === "imaginary") return `${value === Number.POSITIVE_INFINITY ? "1e1000" : reprFloat(value)}j`;
  return value === Number.POSITIVE_INFINITY ? "1e1000" : reprFloat(value);
}

function reprFloat(value: number): string {
  const [digits, exponent] = value.toExponential().split("e") as [string, string];
  const power = Number(exponent);
  if (value !== 0 && (power >= MIN_EXPONENT_ABOVE || power < MAX_EXPONENT_BELOW + 1)) {
    const sign = power < 0 ? "-" : "+";
    return `${digits}e${sign}${String(Math.abs(power)).padStart(2, "0")}`;
  }
  const bare = digits.replace(".", "");
  if (power < 0) return `0.${"0".repeat(-power - 1)}${bare}`;
  const whole = bare.slice(0, power + 1).padEnd(power + 1, "0");
  return `${whole}.${bare.slice(power + 1) || "0"}`;
}

function reprString(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text
    .replace(/\\/g, "\\\\")
    .replaceAll(quote, `\\${quote}`)
    .replace(UNPRINTABLE, (character) => ESCAPES[character] ?? escapeCode(character.codePointAt(0)!));
  return quote + escaped + quote;
}

function escapeCode(code: number): string {
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}

export function reprBytes(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text
    .replace(/\\/g, "\\\\")
    .replaceAll(quote, `\\${quote}`)
    .replace(/[^ -~]/g, (character) => ESCAPES[character] ?? escapeCode(character.charCodeAt(0)));
  return `b${quote}${escaped}${quote}`;
}

/**
 * A string as astor writes it: `repr`, or triple quotes if it is a statement of its own or has several lines. `line` is
 * the text before it on its line.
 */
export function formatStringLiteral(text: string, line: string): string {
  const plain = reprString(text);
  if (line.replace(LEADING_SPACE, "") !== "") {
    if (!text.includes("\n") || lengthOf(plain) < MIN_TRIPLE_QUOTED) return plain;
    const indent = lengthOf(line) - lengthOf(line.replace(LEADING_SPACE, ""));
    if (lengthOf(line) + lengthOf(plain) < MAX_LINE && !isIndented(text, indent)) return plain;
  }
  // If the triple-quoted text does not evaluate to the same string, `repr` is used.
  if (/[\r\0]/.test(text) || !text.isWellFormed()) return plain;
  const inner = text.replace(/\\|"""|"(?=\n?$)/g, (part) => (part === '"""' ? '""\\"' : `\\${part}`));
  return `"""${inner}"""`;
}

/**
 * Whether every line of the text except the first is indented at least as far as the line on which the string starts.
 */
function isIndented(text: string, indent: number): boolean {
  const counts = text
    .split("\n")
    .slice(1)
    .map((line) => line.replace(TRAILING_SPACE, ""))
    .filter((line) => line !== "")
    .map((line) => lengthOf(line) - lengthOf(line.replace(LEADING_SPACE, "")));
  return counts.length > 0 && Math.min(...counts) >= indent;
}
