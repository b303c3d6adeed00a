import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { RecommenderError } from "../../../errors.js";
import { MUTATOR_KINDS, type Mutator } from "../../mutator.js";

/** What the program says of itself in a comment: `# kind: preserving`. */
const KIND = /^#\s*kind:\s*(\S+)\s*$/m;
const SECONDS = 10;

/**
 * An operator in Python: the program gets a cell on standard input and writes the changed cell to standard output. It is
 * `degrading` unless a comment says otherwise. A program that fails makes no mutant, like any operator that throws.
 */
export function createCommandMutator(path: string, python = "python3", seconds = SECONDS): Mutator {
  if (!existsSync(path)) throw new RecommenderError("INPUT_INVALID", `There is no mutator ${path}`);
  const [, said = "degrading"] = KIND.exec(readFileSync(path, "utf8")) ?? [];
  const kind = MUTATOR_KINDS.find((each) => each === said);
  if (kind === undefined)
    throw new RecommenderError(
      "INPUT_INVALID",
      `The mutator ${path} says that its kind is "${said}"; it can be ${MUTATOR_KINDS.join(", ")}`,
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
  if (error.code === "ETIMEDOUT") return new Error(`it does not end within ${seconds} s`);
  if (error.code === "ENOENT") return new Error(`there is no ${python}`);
  return error;
}
