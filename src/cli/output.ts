import { writeSync } from "node:fs";

/** Where a command writes: results to stdout, everything else to stderr. */
export interface Output {
  readonly json: boolean;
  /** One line of the result, for people; nothing where JSON was asked for. */
  line(text?: string): void;
  /** The whole result, as the one JSON document; nothing where it was not asked for. */
  document(value: unknown): void;
  /** News for people, on stderr. */
  note(text: string): void;
  /** Dimmed on a terminal that shows colours. */
  dim(text: string): string;
  bold(text: string): string;
}

export function createOutput(json: boolean, env: Readonly<Record<string, string | undefined>>): Output {
  const colours = process.stdout.isTTY === true && !env.NO_COLOR;
  const paint = (code: number) => (text: string) => (colours ? `\u001b[${code}m${text}\u001b[0m` : text);
  return {
    json,
    line: (text = "") => {
      if (!json) print(1, `${text}\n`);
    },
    document: (value) => {
      if (json) print(1, `${JSON.stringify(value, null, 2)}\n`);
    },
    note: (text) => print(2, `${text}\n`),
    dim: paint(2),
    bold: paint(1),
  };
}

/** Synchronous, so that nothing is lost when the process ends right after. A reader that went away (`| head`) is no error. */
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
