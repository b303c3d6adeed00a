import { statSync } from "node:fs";
import { classHighlighter, highlightTree } from "@lezer/highlight";
import { buildSync } from "esbuild";
import { describe, expect, it } from "vitest";
import { pythonMode } from "../../web/src/python-mode.js";

function paint(code: string): string[] {
  const parts: string[] = [];
  highlightTree(pythonMode.parser.parse(code), classHighlighter, (from, to, classes) =>
    parts.push(`${code.slice(from, to)} ${classes.replaceAll("tok-", "")}`),
  );
  return parts.filter((part) => !/ (punctuation|operator)$/.test(part));
}

describe("the Python of the page", () => {
  it.each([
    [
      "a definition",
      "def add(x):\n    return x",
      ["def keyword", "add variableName definition", "x variableName", "return keyword", "x variableName"],
    ],
    ["members", "df.head(5)", ["df variableName", "head propertyName", "5 number"]],
    ["constants", "a = True or None", ["a variableName", "True bool", "or keyword", "None bool"]],
    ["comments and strings", "x = 'a # b'  # c", ["x variableName", "'a # b' string", "# c comment"]],
    ["a string with a prefix and an escape", 'f"a\\"b" + rb"c"', ['f"a\\"b" string', 'rb"c" string']],
    [
      "a half-typed string, which ends with its line",
      'a = "b\nc = 1',
      ["a variableName", '"b string', "c variableName", "1 number"],
    ],
    ["a triple string over lines", '"""a\nb"""\nc', ['"""a string', 'b""" string', "c variableName"]],
    ["magics and decorators", "%time x\n@a.b\nx", ["%time x meta", "@a.b meta", "x variableName"]],
    ["numbers", "0xff + 1_000.5e-3j + .5", ["0xff number", "1_000.5e-3j number", ".5 number"]],
    ["names in other languages", "größe = 1", ["größe variableName", "1 number"]],
  ])("colours %s", (_, code, expected) => {
    expect(paint(code)).toEqual(expected);
  });
});

describe("the page", () => {
  it("has less than 350 KB", () => {
    const options = { bundle: true, minify: true, format: "esm", target: "es2022", write: false } as const;
    const { outputFiles } = buildSync({ entryPoints: ["web/src/main.ts"], ...options });
    const rest = ["web/index.html", "web/style.css"].reduce((sum, file) => sum + statSync(file).size, 0);
    expect(outputFiles[0]!.contents.length + rest).toBeLessThan(350_000);
  });
});
