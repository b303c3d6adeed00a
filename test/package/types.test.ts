import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeFolder, ROOT } from "../cli/celrec.js";
import { compileProgram, PROGRAM, strictProject } from "./program.js";

const SERVER = `
import { createServer } from "node:http";
import { createApp, openCelrec } from "celrec";
const { services } = await openCelrec({ data: "index" });
export const server = createServer(createApp({ ...services, logger: { info() {}, error() {} } }));
`;

/** The packages that npm installs for a user. Our folder has development dependencies, too. */
function installBeside(folder: string, packages: readonly string[]): void {
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "celrec"), { recursive: true });
  for (const name of ["package.json", "dist"])
    cpSync(join(ROOT, name), join(modules, "celrec", name), { recursive: true });
  for (const name of packages) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  }
}

describe("the public types", () => {
  it("are checked with TypeScript 7", () => {
    const version = execFileSync(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "--version"], {
      encoding: "utf8",
    });
    expect(version).toMatch(/^Version 7\./);
  });

  it("compile in a strict program that lists no `types` and has none of Node's", () => {
    const folder = makeFolder(strictProject(PROGRAM));
    installBeside(folder, ["zod"]);
    expect(compileProgram(folder)).toBe("");
  });

  it("work together with Node's own types", () => {
    const folder = makeFolder(strictProject(SERVER, ["node"]));
    installBeside(folder, ["zod", "@types/node", "undici-types"]);
    expect(compileProgram(folder)).toBe("");
  });
});
