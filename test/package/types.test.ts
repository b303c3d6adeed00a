import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeFolder, ROOT } from "../cli/celrec.js";

const PROGRAM = `
import { createApp, openCelrec, type RecommendAnswer } from "celrec";
const celrec = await openCelrec({ data: "index" });
const answer: RecommendAnswer = await celrec.recommend("x", { k: 3, mode: "auto", context: { before: ["import os"] } });
export const listener = createApp;
export const codes: string[] = answer.recommendations.map(({ adapted }) => adapted.code);
`;
const OPTIONS = {
  strict: true,
  skipLibCheck: false,
  module: "NodeNext",
  target: "ES2023",
  types: ["node"],
  noEmit: true,
};

describe("the types", () => {
  it("compile in a strict program that has nothing but our package and the types of Node", () => {
    const folder = makeFolder({
      "program.ts": PROGRAM,
      "package.json": JSON.stringify({ type: "module" }),
      "tsconfig.json": JSON.stringify({ compilerOptions: OPTIONS, include: ["program.ts"] }),
    });
    const modules = join(folder, "node_modules");
    mkdirSync(join(modules, "celrec"), { recursive: true });
    mkdirSync(join(modules, "@types"));
    // What npm installs, without the development dependencies that lie beside the sources here.
    for (const name of ["package.json", "dist"])
      cpSync(join(ROOT, name), join(modules, "celrec", name), { recursive: true });
    for (const name of ["zod", "@types/node", "undici-types"])
      symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
    const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
    const compile = () => execFileSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" });
    expect(said(compile)).toBe("");
  });
});

/** What a command prints, whether it fails or not. */
function said(run: () => string): string {
  try {
    return run();
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
