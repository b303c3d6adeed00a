import { writeSync } from "node:fs";
import type { SkippedGroup, SkippedKind } from "../notebook/corpus/candidates.js";

/** Where a command writes: results to stdout, everything else to stderr. */
export interface Output {
  readonly json: boolean;
  /** Characters of a line on a terminal; undefined elsewhere. */
  readonly width?: number | undefined;
  /** Prints a line of the result as text; nothing with `--json`. */
  line(text?: string): void;
  /** Prints the whole result as one JSON document; nothing without `--json`. */
  document(value: unknown): void;
  /** Prints a message to stderr. */
  note(text: string): void;
  /** Dims text on a terminal with colours. */
  dim(text: string): string;
  bold(text: string): string;
}

/** The escape sequences that we use: bold, dim, reset. */
const PAINT_CODES = /(\u001b\[[012]m)/;

export function createOutput(json: boolean, env: Readonly<Record<string, string | undefined>>): Output {
  const colours = process.stdout.isTTY === true && !env.NO_COLOR;
  const paint = (code: number) => (text: string) => (colours ? `\u001b[${code}m${text}\u001b[0m` : text);
  return {
    json,
    width: process.stdout.isTTY ? process.stdout.columns : undefined,
    line: (text = "") => {
      if (!json) print(1, `${paintedOnly(text, colours)}\n`);
    },
    document: (value) => {
      // JSON allows escaped control characters, too.
      if (json) print(1, `${withoutControls(JSON.stringify(value, null, 2))}\n`);
    },
    note: (text) => print(2, `${withoutControls(text)}\n`),
    dim: paint(2),
    bold: paint(1),
  };
}

/**
 * A cell or a file name may contain escape sequences that move the cursor, rename the window or type for the user. Every
 * control character is shown as its code, except tabs, line ends and our own colours.
 */
export function withoutControls(text: string): string {
  return text.replace(
    /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Text on one line, so a file name cannot fake a line of the output. */
export function asOneLine(text: string): string {
  return withoutControls(text).replaceAll("\n", "\\u000a").replaceAll("\t", "\\u0009");
}

function paintedOnly(text: string, colours: boolean): string {
  if (!colours) return withoutControls(text);
  return text
    .split(PAINT_CODES)
    .map((part, at) => (at % 2 === 1 ? part : withoutControls(part)))
    .join("");
}

/**
 * Writes synchronously, so nothing is lost if the process ends directly afterwards. A closed pipe (`| head`) is not an
 * error.
 */
function print(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(descriptor, bytes, written);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EPIPE") process.exit(0);
      if (code !== "EAGAIN") throw error;
    }
  }
}

const ADVICE: Readonly<Record<SkippedKind, string>> = {
  archives: "; index one by its own path",
  links: "; links are not followed; give their targets instead",
  "pipes, sockets or devices": "",
};

/** A note on skipped entries of folders, and how to index them. */
export function describeSkipped(skipped: readonly SkippedGroup[]): string {
  const parts = skipped.map(({ kind, count, first }) => {
    const more = count > first.length ? ", ..." : "";
    return `${count} ${kind} (${first.join(", ")}${more})${ADVICE[kind]}`;
  });
  return asOneLine(`Skipped: ${parts.join(". ")}.`);
}
