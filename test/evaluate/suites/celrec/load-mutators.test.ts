import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { mutators } from "../../../../mutators/index.js";
import { createCommandMutator, selectMutators } from "../../../../src/evaluate/suites/celrec/load-mutators.js";

const folder = mkdtempSync(join(tmpdir(), "celrec-mutators-"));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const own = (fields: string) => `export default { ${fields} };`;

describe("selectMutators", () => {
  it("returns the named operators in the given order", async () => {
    const selected = await selectMutators(["reverse-lines", "rename-locals"], mutators);
    expect(selected.map(({ name }) => name)).toEqual(["reverse-lines", "rename-locals"]);
  });

  it("refuses an operator named twice", async () => {
    const asked = selectMutators(["reverse-lines", "insert-comments", "reverse-lines"], mutators);
    await expect(asked).rejects.toThrow("The mutator reverse-lines is named twice");
  });

  it("loads an operator from a path", async () => {
    const path = write("own.mjs", own('name: "own", description: "d", kind: "degrading", apply: (code) => code + "!"'));
    const [first, second] = await selectMutators(["insert-comments", path], mutators);
    expect([first!.name, second!.name, second!.apply("a")]).toEqual(["insert-comments", "own", "a!"]);
  });

  it("loads one in TypeScript, with its imports, on every Node", async () => {
    write("shout.ts", "export const shout = (code: string): string => code.toUpperCase();");
    const text = [
      'import { shout } from "./shout.ts";',
      "interface Own { readonly name: string; readonly description: string; readonly kind: string }",
      'const own: Own & { apply(code: string): string } = { name: "own", description: "d", kind: "degrading", apply: shout };',
      "export default own;",
    ];
    const [mutator] = await selectMutators([write("own.ts", text.join("\n"))], mutators);
    expect([mutator!.name, mutator!.apply("a = 1")]).toEqual(["own", "A = 1"]);
  });

  it("runs an operator that is a Python program", async () => {
    const path = write("shout.py", "# kind: preserving\nimport sys\nsys.stdout.write(sys.stdin.read().upper())\n");
    const [mutator] = await selectMutators([path], mutators);
    expect(mutator).toMatchObject({ name: "shout", kind: "preserving" });
    expect(mutator!.apply("a = 'é'")).toBe("A = 'É'");
    const plain = write("plain.py", "import sys\nprint(sys.stdin.read(), end='')\n");
    expect((await selectMutators([plain], mutators))[0]!.kind).toBe("degrading");
  });

  it("reports a Python program that does not end, and a missing Python", () => {
    const path = write("hang.py", "while True: pass\n");
    expect(() => createCommandMutator(path, "python3", 0.5).apply("x")).toThrow(/^it did not finish within 0\.5 s$/);
    expect(() => createCommandMutator(path, "no-such-python").apply("x")).toThrow(/^there is no no-such-python$/);
  });

  it.each([
    [
      "a Python program of an unknown kind",
      () => write("odd.py", "# kind: nonsense\n"),
      /odd\.py declares the kind "nonsense"; known kinds: preserving, degrading, hard-negative$/,
    ],
    ["a Python program that fails", () => write("bad.py", "raise ValueError('no')"), /fails on "": ValueError: no/],
    ["a missing Python program", () => join(folder, "none.py"), /There is no mutator .*none\.py/],
    ["an unknown name", () => "renam", /Unknown mutator "renam"\. Known mutators: split-lines, .*other-chart/],
    ["a missing file", () => join(folder, "none.mjs"), /none\.mjs could not be loaded/],
    ["invalid TypeScript", () => write("bad.ts", "export default {"), /bad\.ts could not be loaded/],
    ["a syntax error", () => write("bad.mjs", "export default {"), /bad\.mjs could not be loaded/],
    ["no default export", () => write("no.mjs", "export const x = 1;"), /no\.mjs is not a mutator: default export: /],
    [
      "an operator without a name",
      () => write("nameless.mjs", own('description: "d", kind: "degrading", apply: (code) => code')),
      /nameless\.mjs is not a mutator: name: /,
    ],
    [
      "another kind and no function",
      () => write("kind.mjs", own('name: "n", description: "d", kind: "odd", apply: 1')),
      /kind\.mjs is not a mutator: kind: .*; apply: must be a function$/,
    ],
    [
      "an operator that throws",
      () =>
        write(
          "throws.mjs",
          own('name: "n", description: "d", kind: "degrading", apply: () => { throw new Error("oh"); }'),
        ),
      /mutator n of .*throws\.mjs fails on "": oh$/,
    ],
    [
      "an operator that returns no text",
      () => write("silent.mjs", own('name: "n", description: "d", kind: "degrading", apply: () => 1')),
      /mutator n of .*silent\.mjs gives number instead of a string$/,
    ],
  ])("refuses %s, and says why", async (_, makeName, message) => {
    await expect(selectMutators([makeName()], mutators)).rejects.toMatchObject({
      code: "INPUT_INVALID",
      message: expect.stringMatching(message),
    });
  });

  it("refuses an empty list", async () => {
    await expect(selectMutators([], mutators)).rejects.toMatchObject({ code: "INPUT_INVALID" });
  });
});
