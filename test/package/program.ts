import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "../cli/celrec.js";

/** A program that uses both entry points of the package. */
export const PROGRAM = `
import { createApp, openCelrec, parseConfig, type RecommendAnswer, RecommenderError } from "celrec";
import { createClient } from "celrec/client";
const celrec = await openCelrec({ data: "index" });
const answer: RecommendAnswer = await celrec.recommend("x", { k: 3, mode: "auto", context: { before: ["import os"] } });
export const codes: string[] = answer.recommendations.map(({ adapted }) => adapted.code);
export const app = createApp({ ...celrec.services, logger: { info() {}, error() {} } });
// @ts-expect-error a mode that does not exist: an answer typed as any would let it pass
void celrec.recommend("x", { mode: "automatic" });
export const port: number = parseConfig({}).port;
export const client = createClient({ url: "http://127.0.0.1:8787" });
export const isOurs = (error: unknown): boolean => error instanceof RecommenderError && error.code === "NOT_FOUND";
`;

/** The files of a strict project. Without `types`, the project lists no types, as a new TypeScript 7 project does. */
export function strictProject(program: string, types?: readonly string[]): Record<string, string> {
  const compilerOptions = {
    strict: true,
    skipLibCheck: false,
    module: "NodeNext",
    target: "ES2023",
    noEmit: true,
    ...(types && { types }),
  };
  return {
    "program.ts": program,
    "package.json": JSON.stringify({ private: true, type: "module" }),
    "tsconfig.json": JSON.stringify({ compilerOptions, include: ["program.ts"] }),
  };
}

/** The compiler's output: empty if there is no error. */
export function compileProgram(folder: string): string {
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  try {
    return execFileSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
