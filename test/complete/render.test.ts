import { describe, expect, it } from "vitest";
import { habitsOf, renderTokens } from "../../src/complete/render.js";
import { readCell } from "../../src/complete/tokens.js";

const render = (code: string) => renderTokens([], [], readCell(code), { quote: "'" });

describe("renderTokens", () => {
  it.each([
    ["x=f(a,b=1)", "x = f(a, b=1)"],
    ["df [ 'a' ] . mean ( )", "df['a'].mean()"],
    ["x=-1", "x = -1"],
    ["a-b", "a - b"],
    ["f(*a,**k)", "f(*a, **k)"],
    ["d={'a':1}", "d = {'a': 1}"],
    ["x[1:2]", "x[1:2]"],
    ["from a import b as c", "from a import b as c"],
    ["for i in range(3):", "for i in range(3):"],
    ["lambda x:x+1", "lambda x: x + 1"],
    ["not a", "not a"],
    ["x=[i for i in y if i>0]", "x = [i for i in y if i > 0]"],
    ["a+=1", "a += 1"],
    ["[f(i)for i in y]", "[f(i) for i in y]"],
    ["return (a, b)", "return (a, b)"],
    ["print(a==b)", "print(a == b)"],
    ["x = None", "x = None"],
  ])("writes %j as %j", (code, expected) => {
    expect(render(code)).toBe(expected);
  });

  it("writes the quotes that the user writes", () => {
    const habits = habitsOf('a = "x" + "y"');
    expect(renderTokens([], [], readCell("f('a', \"it's\")"), habits)).toBe('f("a", "it\'s")');
  });
});
