import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mutators } from "../../mutators/index.js";
import { parses } from "../../src/python/grammar.js";
import { maskMagics, tokenize } from "../../src/python/tokenize.js";
import { executableCells } from "./executable-cells.js";

const seeds = readdirSync("seeds", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".py"))
  .sort()
  .map((file) => readFileSync(`seeds/${file}`, "utf8").trimEnd());
const realCode = [...seeds, ...Object.values(executableCells)];

/** Pieces of Python in any order: far more often nearly right than characters in any order. */
const piece = fc.constantFrom(
  ..."a b df _ match case 1 2.5 'x' \"y\" f'{a}' ''' \"\"\" ( ) [ ] { } , . : ; = == < + * -> := @ % ! ? \\ # \n".split(
    " ",
  ),
  ..."\n    |\n\t|\n%time x|\n!ls|%%bash\n|import |from |for |in |def f|class A|lambda |if |else|with |as |print|\r\n|😀|é".split(
    "|",
  ),
);
const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(" ")),
  fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join("")),
);
const prefix = fc
  .tuple(fc.constantFrom(...realCode), fc.nat(1000))
  .map(([code, share]) => code.slice(0, Math.ceil((code.length * share) / 1000)));

const isPython = (code: string) => parses(maskMagics(code));

describe.each(mutators)("$name", ({ name, kind, apply }) => {
  it("returns text for any text, and the same text every time", () => {
    fc.assert(
      fc.property(fc.oneof(anyText, prefix), (code) => {
        const changed = apply(code);
        expect(typeof changed).toBe("string");
        expect(apply(code)).toBe(changed);
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  // The parser rejects unindented comments inside brackets, which Python allows. meaning.test.ts covers such comments.
  it.runIf(kind === "preserving" && name !== "insert-comments")("leaves code that parses parsable", () => {
    fc.assert(
      fc.property(fc.oneof(prefix, anyText).filter(isPython), (code) => {
        expect(isPython(apply(code))).toBe(true);
      }),
      { numRuns: 200, seed: 2 },
    );
    expect(realCode.filter((code) => !isPython(apply(code)))).toEqual([]);
  });
});

/** Operators whose purpose is to change strings, or to drop or break lines. */
const NO_KEEPERS = /^(?:change-quotes|other-column|other-aggregation|other-chart|drop-lines|cut-lines|reverse-lines)$/;

describe.each(mutators.filter(({ name }) => !NO_KEEPERS.test(name)))("$name", ({ apply }) => {
  it("keeps every string that needs no new name inside, and every magic", () => {
    for (const code of realCode) {
      const found = countTexts(apply(code));
      for (const [text, times] of countTexts(code)) expect(found.get(text) ?? 0).toBeGreaterThanOrEqual(times);
    }
  });
});

/** Counts the plain one-line strings and the magics of a text. Reversed copies may add some, and none may be lost. */
function countTexts(code: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { kind, text } of tokenize(code)) {
    const isKept =
      kind === "magic" ? text.length > 2 : kind === "string" && !/^\w*f/i.test(text) && !text.includes("\n");
    if (isKept) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
}

describe("huge cells", () => {
  it.each([
    ["a sum of many terms", `x = ${"a + ".repeat(5000)}1`],
    ["a long list", `x = [${"1, ".repeat(10000)}]`],
    ["deep brackets", `${"(".repeat(2000)}1${")".repeat(2000)}`],
    ["a long chain", `x = df${".head(1)".repeat(1000)}`],
    ["many lines", "x = f(x, 'a') + 1\n".repeat(1500)],
    ["brackets never closed", "(".repeat(10000)],
    ["quotes without end", "'".repeat(10001)],
  ])("get a result from every operator: %s", (_, code) => {
    for (const { apply } of mutators) expect(typeof apply(code)).toBe("string");
  });
});

describe("seeds", () => {
  it("are changed by every operator, some by only a few", () => {
    const counts = mutators.map(({ name, apply }) => ({
      name,
      seeds: seeds.filter((code) => apply(code) !== code).length,
    }));
    console.info(counts.map(({ name, seeds: count }) => `${name}: ${count} of ${seeds.length} seeds`).join("\n"));
    expect(counts.filter((entry) => entry.seeds === 0)).toEqual([]);
  });
});
