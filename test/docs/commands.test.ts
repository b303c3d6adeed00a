import { execFile } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { MAIN, makeFolder, ROOT } from "../cli/celrec.js";
import { agrees, readPage } from "./console.js";

const PAGES = [
  "README.md",
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" }).flatMap((name) =>
    name.endsWith(".md") ? [`docs/${name}`] : [],
  ),
];

describe("a page's commands", () => {
  const pages = PAGES.map((name) => [name, readPage(readFileSync(join(ROOT, name), "utf8"))] as const);

  it.each(pages.filter(([, { commands }]) => commands.length > 0))(
    "print what %s shows",
    { timeout: 240_000 },
    async (page, { commands, files }) => {
      const folder = makeReader();
      for (const { name, text } of files) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), text);
      }
      for (const { line, command, output } of commands) {
        const printed = await runInShell(command, folder);
        const where = `${page}, line ${line}: ${command}`;
        if (!agrees(printed, output)) expect([where, ...printed]).toEqual([where, ...output]);
      }
    },
  );
});

describe("agrees", () => {
  it.each([
    [["a", "b"], ["a", "b"], true],
    [["a", "b"], ["a"], false],
    [["a"], ["a", "b"], false],
    [["a", "b", "c"], ["a", "..."], true],
    [["a", "b", "c"], ["...", "c"], true],
    [["a", "b", "c"], ["...", "b"], false],
    [["in 0.8 s"], ["in 1.25 s"], true],
    [["in 8 cells"], ["in 9 cells"], false],
  ])("compares the printed %j with the shown %j: %j", (printed, shown, expected) => {
    expect(agrees(printed, shown)).toBe(expected);
  });
});

/** A folder like a fresh clone: the examples, a writable copy of the sample notebooks, and `celrec` on the path. */
function makeReader(): string {
  const folder = makeFolder();
  cpSync(join(ROOT, "examples/notebooks"), join(folder, "examples/notebooks"), { recursive: true });
  cpSync(join(ROOT, "examples/notebooks"), join(folder, "notebooks"), { recursive: true });
  mkdirSync(join(folder, ".bin"));
  for (const [name, run] of [
    ["celrec", `exec "${process.execPath}" "${MAIN}" "$@"`],
    ["npx", 'exec "$@"'],
  ]) {
    writeFileSync(join(folder, ".bin", name!), `#!/bin/sh\n${run}\n`);
    chmodSync(join(folder, ".bin", name!), 0o755);
  }
  return folder;
}

/** The lines on standard output. Pages do not show errors and progress. */
function runInShell(command: string, folder: string): Promise<string[]> {
  const env = {
    ...process.env,
    PATH: `${join(folder, ".bin")}:${process.env.PATH}`,
    CELREC_DATA: join(folder, ".celrec"),
  };
  return new Promise((resolve) => {
    execFile("/bin/sh", ["-c", command], { cwd: folder, env, maxBuffer: 2 ** 26 }, (_error, stdout) => {
      resolve(stdout.replace(/\n$/, "").split("\n"));
    });
  });
}
