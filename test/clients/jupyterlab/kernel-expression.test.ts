import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { parseVariables, VARIABLES } from "../../../clients/jupyterlab/src/kernel-expression.js";

/** A value that tells when anything of it is run. */
const TOUCHY = `
class Touchy:
    def __getattribute__(self, name): raise SystemExit("looked at " + name)
    def __repr__(self): raise SystemExit("printed")
    def __eq__(self, other): raise SystemExit("compared")
    def __bool__(self): raise SystemExit("asked for truth")
touchy, count, _hidden, In = Touchy(), 3, 4, []
import json
def own(): pass
`;

it("gives names and types of a program's values without touching one or leaving a trace", () => {
  const program = `names = {}
exec(${JSON.stringify(TOUCHY)}, names)
before = list(names)
print(repr(eval(${JSON.stringify(VARIABLES)}, names)))
print(list(names) == before)`;
  const [line, isUnchanged] = execFileSync("python3", ["-c", program], { encoding: "utf8" }).trim().split("\n");
  expect(parseVariables(line!)).toEqual({ touchy: "Touchy", count: "int" });
  expect(isUnchanged).toBe("True");
});

it.each([
  ["''", {}],
  ["'df:DataFrame n:int'", { df: "DataFrame", n: "int" }],
])("reads %s", (text, variables) => {
  expect(parseVariables(text)).toEqual(variables);
});
