import { describe, expect, it } from "vitest";
import { lex } from "../../src/python/lex.js";
import { looksLikePython } from "../../src/python/looks-like-python.js";

describe("looksLikePython", () => {
  it.each<[string, boolean]>([
    ["", true],
    ["x = 1\nprint(x)", true],
    ["x = f(a,", true],
    ["x = (a\n  + b\n)", true],
    ["x = a \\\n  / b", true],
    ["@cache\ndef f(): ...", true],
    ["!ls\nx = !pwd", true],
    ["# only a remark", true],
    ["print 'a'", true],
    ["select a, b", false],
    ["<b>text</b>", false],
    ["| a | b |", false],
    ["x = 1 2", false],
    ["say \u201chello\u201d", false],
  ])("of %j is %s", (code, expected) => {
    expect(looksLikePython(lex(code, 0, true))).toBe(expected);
  });
});
