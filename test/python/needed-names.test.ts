import { describe, expect, it } from "vitest";
import { neededColumns, neededNames } from "../../src/python/needed-names.js";

describe("neededNames", () => {
  it.each([
    ["y = x + 1\ny", ["x"]],
    ["import numpy as np\nnp.sum(df)", ["df"]],
    ["a, b = c", ["c"]],
    ["for i in items:\n    print(i)", ["items"]],
    ["def f(z):\n    return z\nf(q)", ["q"]],
    ["df = df.dropna()", ["df"]],
    ["df = pd.read_csv(p)\ndf = df.dropna()", ["pd", "p"]],
    ["df.head()", ["df"]],
    ["[x * k for x in xs if x > 0]", ["k", "xs"]],
    ["f = lambda a, b=c: a + b", ["c"]],
    ["with open(p) as file:\n    file.read()", ["p"]],
    ["plot(x=x)", ["plot", "x"]],
    ["plot(x, c='r')", ["plot", "x"]],
    ["plot(\n    x,\n    c='r')", ["plot", "x"]],
    ["fit(x, by=(y, z), n=3)", ["fit", "x", "y", "z"]],
    ["d[a, b] = c", ["d", "a", "b", "c"]],
    ["(a, b), [c, *d] = load()\na + b + c + d", ["load"]],
    ["f(x)\n(a, b) = x", ["f", "x"]],
  ])("of %j", (code, expected) => {
    expect([...neededNames(code)]).toEqual(expected);
  });
});

describe("neededColumns", () => {
  it.each([
    ["df['age'].mean()", ["age"]],
    ['df[["age", "city"]].groupby("city")["age"].sum()', ["age", "city"]],
    ["df.groupby('x').agg({'y': 'sum'})['y']", ["x", "y"]],
    ["df.groupby(['x', 'y']).size().sort_values(by='n', ascending=False)", ["x", "y", "n"]],
    ["sns.barplot(x='a', y='b', data=df, color='red')", ["a", "b"]],
    ["df.drop('a', axis='columns').merge(other, on=['k'], how='left')", ["a", "k"]],
    ["plt.title('x')\ndf.to_csv('out.csv')", []],
    // The cell defines the name before it reads it.
    ["df['total'] = df['a'] + df['b']\ndf['total'].plot()", ["a", "b"]],
    ["df['n'] += 1", ["n"]],
    ["df['n'] = df['n'] / 2\ndf['m'] = 1\ndf['m'].sum()", ["n"]],
    // No column is named by a list, a call, a pattern or a position.
    ["names = ['a', 'b']\nprint('c', names[0])", []],
    ["df[f'{name}_x']", []],
    ["h.history['loss']\nself.frames['a']", []],
    ["df.loc[df.age > 3, 'city']", ["city"]],
    ["df[\n  'age'  # years\n]", ["age"]],
    ["df['half", []],
    ["", []],
  ])("of %j", (code, expected) => {
    expect([...neededColumns(code)]).toEqual(expected);
  });
});
