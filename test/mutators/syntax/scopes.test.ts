import { describe, expect, it } from "vitest";
import { applyEdits, rewriteTree } from "../../../mutators/syntax/edits.js";
import { freshName, namesInText, wordsOf } from "../../../mutators/syntax/names.js";
import { findUses, findVariables } from "../../../mutators/syntax/scopes.js";
import {
  editPairs,
  hasOwnLines,
  indentAt,
  lineEnd,
  lineStart,
  outsideStrings,
  statementLists,
} from "../../../mutators/syntax/statement-edits.js";

/** Reads a result from the syntax tree of a cell before the tree is freed. */
function read<T>(code: string, look: (cell: Parameters<Parameters<typeof rewriteTree>[1]>[0]) => T): T {
  let found: T | undefined;
  rewriteTree(code, (cell) => {
    found = look(cell);
    return [];
  });
  return found!;
}

/** Every use as `name:role:scopes`, in the order of the text. */
const uses = (code: string) =>
  read(code, ({ root }) =>
    findUses(root)
      .sort((a, b) => a.node.startIndex - b.node.startIndex)
      .map(({ name, role, scope }) => `${name}:${role}${scope.kind === "cell" ? "" : `:${scope.kind}`}`)
      .join(" "),
  );

describe("findUses", () => {
  it.each([
    ["x = y", "x:bind y:read"],
    ["x: T = y", "x:bind T:read y:read"],
    ["x += y", "x:update y:read"],
    ["del x, y[z]", "x:update y:read z:read"],
    ["a.b = c", "a:read c:read"],
    ["a[i] = c", "a:read i:read c:read"],
    ["a, (b, c) = d", "a:bind b:bind c:bind d:read"],
    ["f(x, key=y)", "f:read x:read y:read"],
    ["for a in b:\n    c\nelse:\n    d", "a:bind b:read c:read d:read"],
    ["with a as b: pass", "a:read b:bind"],
    ["try:\n    pass\nexcept E as e: pass", "E:read e:bind"],
    ["global g\nnonlocal h", "g:declare h:declare"],
    ["(a := b)", "a:bind b:read"],
    ["[(a := b) for b in c]", "a:bind b:read:comprehension b:bind:comprehension c:read"],
    ["[x for x in y if z]", "x:read:comprehension x:bind:comprehension y:read z:read:comprehension"],
    [
      "{k: v for k, v in a for w in b}",
      "k:read:comprehension v:read:comprehension k:bind:comprehension v:bind:comprehension a:read w:bind:comprehension b:read:comprehension",
    ],
    ["sum(x for x in y)", "sum:read x:read:comprehension x:bind:comprehension y:read"],
    ["lambda a, b=c: a", "a:parameter:lambda b:parameter:lambda c:read a:read:lambda"],
    [
      "def f(a: T, b=d, *c) -> R:\n    return a",
      "f:definition a:parameter:function T:read b:parameter:function d:read c:parameter:function R:read a:read:function",
    ],
    [
      "class C(B):\n    x = 1\n    def m(self): x",
      "C:definition B:read x:bind:class m:definition:class self:parameter:function x:read:function",
    ],
    ["import a.b, c as d", "a:import d:import"],
    ["from m import x, y as z", "x:import z:import"],
    ["f'{x} {y=}'", "x:read y:show"],
    ["f'{a.b[i]=}'", "a:show i:show"],
    ["f'{f(x)=}'", "f:show x:show"],
    ["match a:\n    case B(c): d", "a:read B:pattern c:pattern d:read"],
    ["a.b.c(d)[e]", "a:read d:read e:read"],
  ])("%j", (code, expected) => {
    expect(uses(code)).toBe(expected);
  });
});

describe("findVariables", () => {
  const variables = (code: string) =>
    read(code, ({ root }) =>
      findVariables(root).map(({ name, scope, uses: own }) => `${name}:${scope?.kind ?? "none"}:${own.length}`),
    );

  it("assigns each use to the scope that binds the name", () => {
    expect(variables("x = 1\ndef f(y):\n    z = x + y\n    return z\nprint(f(x))")).toEqual([
      "x:cell:3",
      "f:cell:2",
      "y:function:2",
      "z:function:2",
      "print:none:1",
    ]);
  });

  it("makes names of a class visible only in its body", () => {
    expect(variables("class C:\n    a = 1\n    b = a\n    def m(self):\n        return a")).toEqual([
      "C:cell:1",
      "a:class:2",
      "b:class:1",
      "m:class:1",
      "self:function:1",
      "a:none:1",
    ]);
  });
});

describe("statements", () => {
  it("are listed block by block, without comments and the bodies of classes", () => {
    const lists = read("a\n# c\nif b:\n    c\n    d\nclass E:\n    f = 1\n    def g(): h", ({ root }) =>
      statementLists(root).map((list) => list.map(({ text }) => text.split("\n")[0])),
    );
    expect(lists).toEqual([["a", "if b:", "class E:"], ["c", "d"], ["h"]]);
  });

  it("count as alone if only a comment shares their lines", () => {
    const alone = (code: string) =>
      read(code, (cell) => statementLists(cell.root)[0]!.map((statement) => hasOwnLines(cell, statement)));
    expect(alone("a\nb  # why\n  # more")).toEqual([true, true]);
    expect(alone("a; b\nc;")).toEqual([false, false, false]);
    expect(alone("a\n%magic\nb")).toEqual([true, false, true]);
  });

  it("are edited in pairs, none twice", () => {
    const pairs: string[] = [];
    rewriteTree("a\nb\nc\nd; e", (cell) => {
      editPairs(cell, (one, other) => {
        pairs.push(`${one.text}${other.text}`);
        return one.text === "b" ? [{ start: 0, end: 0, text: "" }] : [];
      });
      return [];
    });
    expect(pairs).toEqual(["ab", "bc"]);
  });

  it("are between the ends of their lines", () => {
    const code = "ab\n  cd\n";
    expect([0, 1, 2, 3, 6].map((at) => lineStart(code, at))).toEqual([0, 0, 0, 3, 3]);
    expect([0, 2, 3, 7, 8].map((at) => lineEnd(code, at))).toEqual([2, 2, 7, 7, 8]);
    expect([indentAt(code, 1), indentAt(code, 6), indentAt("\t x", 2)]).toEqual(["", "  ", "\t "]);
  });

  it("are distinguished from fields of an f-string", () => {
    const outside = read("a + f'{b + f\"{c}\"}' + d + f'{e}' + g", ({ root }) =>
      outsideStrings(root.descendantsOfType("identifier"), root).map(({ text }) => text),
    );
    expect(outside).toEqual(["a", "d", "g"]);
    expect(read("a + b", ({ root }) => outsideStrings(root.descendantsOfType("identifier"), root).length)).toBe(2);
  });
});

describe("edits", () => {
  it("are applied in the order of the text; of two that overlap the first stays", () => {
    const edits = [
      { start: 4, end: 5, text: "E" },
      { start: 0, end: 2, text: "A" },
      { start: 1, end: 3, text: "no" },
      { start: 2, end: 2, text: "+" },
    ];
    expect(applyEdits("abcdef", edits)).toBe("A+cdEf");
    expect(applyEdits("abc", [])).toBe("abc");
    expect(
      applyEdits("abc", [
        { start: 0, end: 3, text: "x" },
        { start: 0, end: 1, text: "y" },
      ]),
    ).toBe("ybc");
  });

  it("leave code alone that does not parse, before or after", () => {
    const add = (text: string) => () => [{ start: 0, end: 0, text }];
    expect(rewriteTree("a = (", add("x"))).toBe("a = (");
    expect(rewriteTree("a = 1", add("("))).toBe("a = 1");
    expect(rewriteTree("a = 1", add("b"))).toBe("ba = 1");
  });

  it("know the lines of magics", () => {
    expect(read("a = 1\n%one\nb = '''\n'''\n!two \\\n  three\nc", ({ magicLines }) => [...magicLines])).toEqual([
      1, 4, 5,
    ]);
  });
});

describe("names", () => {
  it("are words of any script; a fresh one differs from all of them", () => {
    expect([...wordsOf("a_1 = 2b + été.x")]).toEqual(["a_1", "b", "été", "x"]);
    const taken = new Set(["x", "x2"]);
    expect([freshName("x", taken), freshName("x", taken), freshName("y", taken)]).toEqual(["x3", "x4", "y"]);
    expect([...wordsOf("1 + 2")]).toEqual([]);
  });

  it.each([
    ["x = 'a b'\ny = 'c'", ["a", "b"]],
    ["x = 1\n%time y", ["time", "y"]],
    ["x = eval('y')", ["x", "eval", "y"]],
    ["x.eval('y')", []],
    ["eval = 1", []],
    ["f'{x} more'", ["more"]],
  ])("that text may refer to at run time are found: %j", (code, expected) => {
    expect(read(code, (cell) => [...namesInText(cell)])).toEqual(expected);
  });
});
