import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { maskMagics } from "../../src/python/tokenize.js";

export interface RanCell {
  readonly stdout: string;
  /** The value that a notebook shows below the cell: that of the last line, if it is an expression. */
  readonly shown: string | null;
  readonly error: string | null;
  readonly variables: Readonly<Record<string, string>>;
}

const script = fileURLToPath(new URL("run_cells.py", import.meta.url));

export const hasPython = spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 10))"]).status === 0;

/** Runs all cells in one Python, each with a namespace of its own. Magics are left out. */
export function runCells(cells: readonly string[]): RanCell[] {
  return ask(cells, true) as RanCell[];
}

export function compileCells(cells: readonly string[]): boolean[] {
  return (ask(cells, false) as { compiles: boolean }[]).map(({ compiles }) => compiles);
}

function ask(cells: readonly string[], run: boolean): unknown[] {
  const input = cells.map((code, id) => `${JSON.stringify({ id, code: maskMagics(code), run })}\n`).join("");
  const env = { ...process.env, PYTHONHASHSEED: "0", PYTHONIOENCODING: "utf-8" };
  const { stdout, stderr, status } = spawnSync("python3", [script], {
    input,
    env,
    maxBuffer: 1 << 28,
    timeout: 300_000,
  });
  const answers = stdout.toString().trim().split("\n").filter(Boolean);
  if (status !== 0 || answers.length !== cells.length) throw new Error(`python3 ended with ${status}: ${stderr}`);
  return answers.map((line) => JSON.parse(line) as unknown);
}
