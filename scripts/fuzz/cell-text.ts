import fc from "fast-check";

/** Fragments of cells, and texts that break parsers. */
const FRAGMENTS = [
  ..."()[]{}'\"#%!?\\:;,.=@`$ \n\t\r\0\f",
  '"""',
  "'''",
  'f"{',
  "f'''",
  "rb'",
  "\\\n",
  "\n    ",
  "lambda ",
  "match x:",
  "case ",
  "import ",
  "from a.b ",
  "def f(x):",
  "class A:",
  "async ",
  "print ",
  "not ",
  "%%",
  "%%time\n",
  "%%foo\n",
  "= !",
  "a?",
  "a.b",
  "aB_c1",
  "1e",
  "0x",
  "\u00e9",
  "e\u0301",
  "\u044f",
  "\u{1F600}",
  "\ud800",
  "\udc00",
  "\u2028",
  "\ufeff",
];

const scrap = fc.oneof(
  fc.constantFrom(...FRAGMENTS),
  fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
);
const scraps = fc.array(scrap, { maxLength: 30 }).map((parts) => parts.join(""));

/** A short text repeated up to the maximum length of a stored cell. */
function repeatedText(longest: number): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.array(scrap, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("")),
      fc.integer({ min: 1, max: longest }),
      scraps,
      scraps,
    )
    .map(([unit, length, start, end]) => start + unit.repeat(Math.ceil(length / unit.length)) + end);
}

/** Real code with parts cut, reversed, inserted, removed or duplicated. */
function damagedCode(codes: readonly string[]): fc.Arbitrary<string> {
  const place = fc.double({ min: 0, max: 1, noNaN: true });
  const damage = fc.oneof(
    fc.tuple(place, place).map(
      ([from, to]) =>
        (code: string) =>
          code.slice(0, from * code.length) + code.slice(to * code.length),
    ),
    fc.tuple(place, scraps).map(([at, text]) => (code: string) => {
      const cut = Math.floor(at * code.length);
      return code.slice(0, cut) + text + code.slice(cut);
    }),
    fc.constant((code: string) => [...code].reverse().join("")),
  );
  return fc
    .tuple(fc.constantFrom(...codes), fc.array(damage, { maxLength: 4 }))
    .map(([code, damages]) => damages.reduce((text, apply) => apply(text), code));
}

/** Texts that a client may send as a cell: `codes` and damaged forms of them, fragments, and repeated short units. */
export function cellText(codes: readonly string[], longest: number): fc.Arbitrary<string> {
  return fc.oneof(damagedCode(codes), scraps, repeatedText(longest));
}
