import { describe, expect, it } from "vitest";
import { neededColumns } from "../../src/python/needed-columns.js";

describe("neededColumns", () => {
  it.each([
    ["df['age'].mean()", ["age"]],
    ['df[["age", "city"]].groupby("city")["age"].sum()', ["age", "city"]],
    ["df.groupby('x').agg({'y': 'sum'})['y']", ["y"]],
    // What it makes is there when it is read.
    ["df['total'] = df['a'] + df['b']\ndf['total'].plot()", ["a", "b"]],
    ["df['n'] += 1", ["n"]],
    // No column is named by a list, a call, a pattern or a position.
    ["names = ['a', 'b']\nprint('c', names[0])", []],
    ["df[f'{name}_x']", []],
    ["df.loc[df.age > 3, 'city']", ["city"]],
    ["df[\n  'age'  # years\n]", ["age"]],
    ["df['half", []],
    ["", []],
  ])("of %j", (code, expected) => {
    expect([...neededColumns(code)]).toEqual(expected);
  });
});
