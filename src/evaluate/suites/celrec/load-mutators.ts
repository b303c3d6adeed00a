import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { RecommenderError } from "../../../errors.js";
import { MUTATOR_KINDS, type Mutator } from "../../suite.js";

const schema = z.object({
  name: z.string().trim().min(1, "must not be empty"),
  description: z.string(),
  kind: z.enum(MUTATOR_KINDS),
  apply: z.custom<Mutator["apply"]>((value) => typeof value === "function", "must be a function"),
});

/** Cells on which every operator is tried: empty, ordinary, with a syntax error. */
const PROBES = ["", "import numpy as np\nx = np.sum(df['a'], axis=0)\nprint(x)", "for i in ran"];

/**
 * Loads the operators with these names, in this order. A path names the user's own module with an operator as default
 * export, or a Python program that reads a cell and writes the changed cell.
 */
export async function selectMutators(names: readonly string[], known: readonly Mutator[]): Promise<Mutator[]> {
  if (names.length === 0) throw invalid(`No mutators given. Known mutators: ${listNames(known)}`);
  const selected: Mutator[] = [];
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw invalid(`The mutator ${twice} is named twice`);
  for (const name of names) selected.push(looksLikePath(name) ? await loadMutator(name) : findMutator(name, known));
  return selected;
}

function looksLikePath(name: string): boolean {
  return /[\\/]|\.(?:[cm]?[jt]s|py)$/.test(name);
}

function findMutator(name: string, known: readonly Mutator[]): Mutator {
  const found = known.find((mutator) => mutator.name === name);
  if (found !== undefined) return found;
  throw invalid(`Unknown mutator "${name}". Known mutators: ${listNames(known)}; or give the path of your own module`);
}

function listNames(known: readonly Mutator[]): string {
  return known.map(({ name }) => name).join(", ");
}

function loadMutator(path: string): Mutator | Promise<Mutator> {
  if (!path.endsWith(".py")) return importMutator(path);
  const mutator = createCommandMutator(path);
  for (const probe of PROBES) checkMutator(mutator, path, probe);
  return mutator;
}

async function importMutator(path: string): Promise<Mutator> {
  const file = resolve(path);
  const url = pathToFileURL(file).href;
  const module = await (/\.[cm]?ts$/.test(path) ? importTypeScript(file) : import(url)).catch((cause: unknown) => {
    throw invalid(`The mutator ${path} could not be loaded: ${messageOf(cause)}`, cause);
  });
  const parsed = schema.safeParse((module as { default?: unknown }).default);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map((issue) => `${issue.path.join(".") || "default export"}: ${issue.message}`);
    throw invalid(`The default export of ${path} is not a mutator: ${wrong.join("; ")}`, parsed.error);
  }
  // The original object instead of the checked copy, because `apply` may need its `this`.
  const mutator = (module as { default: Mutator }).default;
  for (const probe of PROBES) checkMutator(mutator, path, probe);
  return mutator;
}

function checkMutator(mutator: Mutator, path: string, probe: string): void {
  let changed: unknown;
  try {
    changed = mutator.apply(probe);
  } catch (cause) {
    throw invalid(
      `The mutator ${mutator.name} of ${path} fails on ${JSON.stringify(probe)}: ${messageOf(cause)}`,
      cause,
    );
  }
  if (typeof changed === "string") return;
  throw invalid(`The mutator ${mutator.name} of ${path} gives ${typeof changed} instead of a string`);
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function invalid(message: string, cause?: unknown): RecommenderError {
  return new RecommenderError("INPUT_INVALID", message, { cause });
}

/** The kind that the program declares in a comment: `# kind: preserving`. */
const KIND = /^#\s*kind:\s*(\S+)\s*$/m;
const TIMEOUT_SECONDS = 10;

/**
 * An operator in Python: the program gets a cell on standard input and writes the changed cell to standard output. It is
 * `degrading` unless a comment says otherwise. A program that fails makes no mutant, like any operator that throws.
 */
export function createCommandMutator(path: string, python = "python3", seconds = TIMEOUT_SECONDS): Mutator {
  if (!existsSync(path)) throw new RecommenderError("INPUT_INVALID", `There is no mutator ${path}`);
  const [, said = "degrading"] = KIND.exec(readFileSync(path, "utf8")) ?? [];
  const kind = MUTATOR_KINDS.find((each) => each === said);
  if (kind === undefined)
    throw new RecommenderError(
      "INPUT_INVALID",
      `The mutator ${path} declares the kind "${said}"; known kinds: ${MUTATOR_KINDS.join(", ")}`,
    );
  return {
    name: basename(path, ".py"),
    description: `The Python program ${basename(path)}.`,
    kind,
    apply(code) {
      const { error, status, stdout, stderr } = spawnSync(python, [path], {
        input: code,
        encoding: "utf8",
        timeout: seconds * 1_000,
      });
      if (error !== undefined) throw explain(error, python, seconds);
      if (status !== 0) throw new Error(stderr.trim().split("\n").at(-1) || `it ended with ${status}`);
      return stdout;
    },
  };
}

function explain(error: NodeJS.ErrnoException, python: string, seconds: number): Error {
  if (error.code === "ETIMEDOUT") return new Error(`it did not finish within ${seconds} s`);
  if (error.code === "ENOENT") return new Error(`there is no ${python}`);
  return error;
}

/** The used part of esbuild: bundles a file with its imports. */
interface Esbuild {
  build(options: object): Promise<{ readonly outputFiles: readonly { readonly text: string }[] }>;
}

/**
 * Imports a TypeScript module with Node (22.18 and later) or with an esbuild installed near the file or near celrec.
 */
async function importTypeScript(file: string): Promise<unknown> {
  try {
    return await import(pathToFileURL(file).href);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_UNKNOWN_FILE_EXTENSION") throw cause;
  }
  const { build } = findEsbuild(file);
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    logLevel: "silent",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0]!.text).toString("base64")}`);
}

function findEsbuild(file: string): Esbuild {
  for (const from of [file, import.meta.url]) {
    try {
      return createRequire(from)("esbuild") as Esbuild;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw cause;
    }
  }
  throw new Error(
    "this Node version cannot import TypeScript (22.18 and later can); install esbuild beside the file, or give JavaScript",
  );
}
