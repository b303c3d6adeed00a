import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parses } from "../../src/python/grammar.js";
import { strip } from "../../src/python/strip.js";
import { subwords } from "../../src/python/subwords.js";
import { maskMagics, tokenize } from "../../src/python/tokenize.js";
import { findGap, findLostLine, runningTokens } from "./properties.js";
import { magicProgram, type Part, programText, pythonProgram } from "./python-program.js";
import { commentsAndStrings } from "./syntax-tree.js";

const texts = (parts: readonly { kind: string; text: string }[], kind: string) =>
  parts.filter((part) => part.kind === kind).map(({ text }) => text);

describe.each<[string, fc.Arbitrary<readonly Part[]>, number]>([
  ["generated Python", pythonProgram, 300],
  ["generated Python with magics", magicProgram, 300],
])("%s", (_, program, numRuns) => {
  const check = (property: (code: string, parts: readonly Part[]) => void) =>
    fc.assert(
      fc.property(program, (parts) => property(programText(parts), parts)),
      { numRuns },
    );

  it("has the strings, comments and magics that were put in, and parses without the magics", () => {
    check((code, parts) => {
      const tokens = tokenize(code);
      for (const kind of ["string", "comment", "magic"]) expect(texts(tokens, kind)).toEqual(texts(parts, kind));
      expect(parses(maskMagics(code, tokens))).toBe(true);
    });
  });

  it("has the strings and comments that the parser sees", () => {
    check((code) => {
      const tokens = tokenize(code);
      const placed = (kind: string) =>
        tokens.flatMap((token) => (token.kind === kind ? [`${token.start}: ${token.text}`] : []));
      expect({ comments: placed("comment"), strings: placed("string") }).toEqual(
        commentsAndStrings(maskMagics(code, tokens)),
      );
    });
  });

  it("is rebuilt by its tokens and the white space between them", () => {
    check((code) => {
      expect(findGap(code, tokenize(code))).toBe(null);
    });
  });

  it("parses after cleaning, with the same tokens except comments", () => {
    check((code) => {
      const clean = strip(code).text;
      const tokens = tokenize(clean);
      expect(runningTokens(tokens)).toEqual(runningTokens(tokenize(code)));
      expect(parses(maskMagics(clean, tokens))).toBe(true);
      expect(texts(tokens, "comment")).toEqual([]);
    });
  });

  it("is not changed by cleaning it again", () => {
    check((code) => {
      const clean = strip(code).text;
      expect(strip(clean).text).toBe(clean);
    });
  });

  it("is found by the line map", () => {
    check((code) => {
      expect(findLostLine(code)).toBe(null);
    });
  });

  it("keeps all offsets when magics are masked", () => {
    check((code) => {
      const masked = maskMagics(code);
      expect(masked.length).toBe(code.length);
      expect(masked.replace(/[^\n]/g, "")).toBe(code.replace(/[^\n]/g, ""));
    });
  });
});

describe("broken code", () => {
  const codeUnit = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit));
  const scrap = fc.constantFrom(
    ..."'\"#%!?\\{}[]():=fr \n\tab1.\0\r\u2028\u00a0\ufeff",
    '"""',
    "'''",
    'f"{',
    "f'''{",
    "%%",
    "%%time\n",
    "%%bash\n",
    "\\\n",
    "\ud800",
    "😀",
    "= !",
  );
  const half = fc
    .tuple(fc.oneof(pythonProgram, magicProgram), fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([parts, share]) => {
      const code = programText(parts);
      return code.slice(0, Math.round(code.length * share));
    });
  const reversed = fc.oneof(pythonProgram, magicProgram).map((parts) => [...programText(parts)].reverse().join(""));
  const anything = fc.oneof(
    half,
    reversed,
    fc.array(scrap, { maxLength: 40 }).map((scraps) => scraps.join("")),
    fc.string({ unit: codeUnit, maxLength: 60 }),
  );
  const check = (property: (code: string) => void) => fc.assert(fc.property(anything, property), { numRuns: 1_000 });

  it("is rebuilt by its tokens and the white space between them", () => {
    check((code) => {
      expect(findGap(code, tokenize(code))).toBe(null);
    });
  });

  it("is not changed by cleaning it again", () => {
    check((code) => {
      const clean = strip(code).text;
      expect(strip(clean).text).toBe(clean);
    });
  });

  it("is found by the line map", () => {
    check((code) => {
      expect(findLostLine(code)).toBe(null);
    });
  });

  it("keeps all offsets when magics are masked", () => {
    check((code) => {
      expect(maskMagics(code).length).toBe(code.length);
    });
  });

  it("has subwords without white space and capitals", () => {
    check((code) => {
      for (const word of subwords(code)) expect(word).toBe(word.trim().toLowerCase());
    });
  });
});
