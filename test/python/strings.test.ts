import { describe, expect, it } from "vitest";
import { scanString } from "../../src/python/strings.js";

/** The literal that starts the code, with a mark if it was never closed. */
function read(code: string): string | null {
  const string = scanString(code, 0);
  return string === null ? null : code.slice(0, string.end) + (string.closed ? "" : "<open>");
}

describe("scanString", () => {
  it.each<[string, string]>([
    [`'a' b`, `'a'`],
    [`"a" b`, `"a"`],
    [`'' b`, `''`],
    [`"""a""" b`, `"""a"""`],
    [`'''a\n'b'\n''' c`, `'''a\n'b'\n'''`],
    [`"""a"""" b`, `"""a"""`],
    [`'a\\'b' c`, `'a\\'b'`],
    [`'a\\\\' c'`, `'a\\\\'`],
    [`r'\\' c'`, `r'\\' c'`],
    [`'a \\\n b' c`, `'a \\\n b'`],
    [`'# %s' % b`, `'# %s'`],
    [`Rb"a" b`, `Rb"a"`],
    [`bR"a" b`, `bR"a"`],
    [`u'a' b`, `u'a'`],
    [`ur'a' b`, `ur'a'`],
  ])("reads the string in %j", (code, expected) => {
    expect(read(code)).toBe(expected);
  });

  it.each<[string, string]>([
    [`f"{a}" b`, `f"{a}"`],
    [`f"{{a" b`, `f"{{a"`],
    [`f"{a["b"]}" c`, `f"{a["b"]}"`],
    [`f'{a['b']}' c`, `f'{a['b']}'`],
    [`f"{a:>{b["c"]}}" d`, `f"{a:>{b["c"]}}"`],
    [`f"{a:'^10}" b`, `f"{a:'^10}"`],
    [`f"{a!r:#x}" b`, `f"{a!r:#x}"`],
    [`f"{f"{f"{1}"}"}" b`, `f"{f"{f"{1}"}"}"`],
    [`f"{f"{a["}"]}"}" b`, `f"{f"{a["}"]}"}"`],
    [`f"{ {1: "}"}[1] }" b`, `f"{ {1: "}"}[1] }"`],
    [`f"\\{a["b"]}" c`, `f"\\{a["b"]}"`],
    [`rf"\\{a["b"]}" c`, `rf"\\{a["b"]}"`],
    [`f"\\N{DASH}" b`, `f"\\N{DASH}"`],
    [`f"{\n  a\n}" b`, `f"{\n  a\n}"`],
    [`f"{a # "}\n}" b`, `f"{a # "}\n}"`],
    [`f"{a \\\n}" b`, `f"{a \\\n}"`],
    [`f'''{a['''b''']}''' c`, `f'''{a['''b''']}'''`],
    [`f"""{a:\n}""" b`, `f"""{a:\n}"""`],
    [`t"{a["b"]}" c`, `t"{a["b"]}"`],
    [`"{a["b"]}" c`, `"{a["`],
    [`u"{a["b"]}" c`, `u"{a["`],
  ])("reads the fields of the string in %j", (code, expected) => {
    expect(read(code)).toBe(expected);
  });

  it.each<[string, string]>([
    [`'a\nb`, `'a<open>`],
    [`'a`, `'a<open>`],
    [`'a\\`, `'a\\<open>`],
    [`"""a\nb`, `"""a\nb<open>`],
    [`f"{a\nb = 1`, `f"{a<open>`],
    [`f"{a" + b`, `f"{a"`],
    [`f"{a)}" + b`, `f"{a)}"`],
    [`f"{a\\x}" + b`, `f"{a\\x}"`],
    [`f"{a:" + b`, `f"{a:"`],
    [`f"{a['b" + c`, `f"{a['b"`],
    [`f"{a["b"]} {c" + d`, `f"{a["b"]} {c"`],
    [`f"{a\nprint("b")\nc = {}`, `f"{a<open>`],
    [`f"""{a""" + b`, `f"""{a"""`],
  ])("ends a broken f-string where a plain string would end: %j", (code, expected) => {
    expect(read(code)).toBe(expected);
  });

  it.each(["a", "bu'a'", "", "#'a'", " 'a'", "`a`"])("finds none at the start of %j", (code) => {
    expect(read(code)).toBe(null);
  });

  it("reads an implausibly long field as text", () => {
    expect(read(`f"{${" a".repeat(200)}["b"]}"`)).toBe(`f"{${" a".repeat(200)}["b"]}"`);
    expect(read(`f"{${" a".repeat(5_000)}["b"]}"`)).toBe(`f"{${" a".repeat(5_000)}["`);
  });
});
