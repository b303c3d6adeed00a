import { execFileSync, spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { parseVariables, VARIABLES } from "../../../clients/jupyterlab/src/kernel-expression.js";
import { requires } from "../../require.js";

const hasPython = spawnSync("python3", ["--version"]).status === 0;
const canRun = requires("python", hasPython, "install Python 3.8 or newer as python3");

/** A value that reports when any of its code runs. */
const TOUCHY = `
class Touchy:
    def __getattribute__(self, name): raise SystemExit("looked at " + name)
    def __repr__(self): raise SystemExit("printed")
    def __eq__(self, other): raise SystemExit("compared")
    def __bool__(self): raise SystemExit("asked for truth")
touchy, count, _hidden, In = Touchy(), 3, 4, []
class DataFrame:
    columns = ["age", 3, "größe, m"]
DataFrame.__module__ = "pandas.core.frame"
df = DataFrame()
Fake = type("DataFrame", (Touchy,), {})
fake = Fake()
del DataFrame, Fake
import json
def own(): pass
`;

it.skipIf(!canRun)("gives names and types of a program's values without touching one or leaving a trace", () => {
  const program = `names = {}
exec(${JSON.stringify(TOUCHY)}, names)
before = list(names)
print(repr(eval(${JSON.stringify(VARIABLES)}, names)))
print(list(names) == before)`;
  const [line, isUnchanged] = execFileSync("python3", ["-c", program], { encoding: "utf8" }).trim().split("\n");
  expect(parseVariables(line!)).toEqual({
    touchy: { type: "Touchy" },
    count: { type: "int" },
    df: { type: "DataFrame", columns: ["age", "größe, m"] },
    fake: { type: "DataFrame" },
  });
  expect(isUnchanged).toBe("True");
});

it.each([
  ["''", {}],
  ["'df:DataFrame n:int'", { df: { type: "DataFrame" }, n: { type: "int" } }],
  [
    "'df:DataFrame:616765,70 e:DataFrame:'",
    { df: { type: "DataFrame", columns: ["age", "p"] }, e: { type: "DataFrame" } },
  ],
])("reads %s", (text, variables) => {
  expect(parseVariables(text)).toEqual(variables);
});
