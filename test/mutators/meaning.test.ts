import { beforeAll, describe, expect, it } from "vitest";
import flipComparison from "../../mutators/flip-comparison.js";
import { mutators } from "../../mutators/index.js";
import type { Mutator } from "../../src/evaluate/suite.js";
import { requires } from "../require.js";
import { executableCells } from "./executable-cells.js";
import { hasPython, type RanCell, runCells } from "./python.js";

const preserving = mutators.filter(({ kind }) => kind === "preserving");
/** Each operator must accept the output of any other. So all are applied in order and in reverse order. */
const operators = [
  ...preserving,
  compose("all of them", preserving),
  compose("all of them, backwards", preserving.toReversed()),
];
/** Operators after which a variable may have another name, so that only values can be compared. */
const RENAMES = /rename-locals|alias-imports|all of them/;
/** Names that operators add. */
const ADDED = /^(?:step|iterator)\d*$/;

const available = requires("python", hasPython, "install Python 3.10 or newer as python3");

describe.runIf(available)("preserving operators, run by Python", () => {
  const cells = Object.entries(executableCells).map(([name, code]) => ({ name, code }));
  const mutants = operators.flatMap((operator) =>
    cells
      .map(({ name, code }, at) => ({ operator, name, at, code, mutant: operator.apply(code) }))
      .filter(({ code, mutant }) => code !== mutant),
  );
  let originals: RanCell[];
  let results: RanCell[];
  beforeAll(() => {
    const ran = runCells([...cells.map(({ code }) => code), ...mutants.map(({ mutant }) => mutant)]);
    [originals, results] = [ran.slice(0, cells.length), ran.slice(cells.length)];
  });

  it("starts from at least 60 cells that run without an error and show something", () => {
    expect(cells.length).toBeGreaterThanOrEqual(60);
    const silent = cells.filter((_, at) => {
      const { error, stdout, shown } = originals[at]!;
      return error !== null || (stdout === "" && shown === null);
    });
    expect(silent).toEqual([]);
  });

  it.each(operators)("$name keeps what a cell prints, shows and defines", (operator) => {
    const own = mutants.flatMap((mutant, at) =>
      mutant.operator === operator ? [{ ...mutant, after: results[at]! }] : [],
    );
    expect(own.length).toBeGreaterThanOrEqual(5);
    const differences = own.flatMap(({ name, at, mutant, after }) => {
      const difference = compare(originals[at]!, after, operator);
      return difference.length === 0 ? [] : [{ name, mutant, difference }];
    });
    expect(differences).toEqual([]);
  });

  it("detects an operator that changes the meaning", () => {
    const changed = cells.filter(({ code }) => flipComparison.apply(code) !== code);
    const results = runCells(changed.map(({ code }) => flipComparison.apply(code)));
    const noticed = changed.filter(
      (cell, at) => compare(originals[cells.indexOf(cell)]!, results[at]!, flipComparison).length > 0,
    );
    expect(noticed.length).toBeGreaterThan(changed.length / 2);
  });
});

function compose(name: string, list: readonly Mutator[]): Mutator {
  const apply = (code: string) => list.reduce((text, mutator) => mutator.apply(text), code);
  return { name, description: name, kind: "preserving", apply };
}

function compare(before: RanCell, after: RanCell, { name }: Mutator): unknown[] {
  // This operator is meant to add a line that shows a variable at the end of the cell.
  const parts = (["stdout", "error", "shown"] as const).filter((part) => part !== "shown" || !/display|all/.test(name));
  const wrong: unknown[] = parts
    .filter((part) => before[part] !== after[part])
    .map((part) => [part, before[part], after[part]]);
  if (RENAMES.test(name)) {
    const values = Object.values(after.variables);
    for (const value of Object.values(before.variables)) {
      if (!values.includes(value)) wrong.push(["lost", value]);
      else values.splice(values.indexOf(value), 1);
    }
    return wrong;
  }
  for (const variable of new Set([...Object.keys(before.variables), ...Object.keys(after.variables)])) {
    if (before.variables[variable] === undefined && ADDED.test(variable)) continue;
    if (before.variables[variable] !== after.variables[variable]) wrong.push(["variable", variable]);
  }
  return wrong;
}
