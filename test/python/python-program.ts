import fc from "fast-check";

/** A piece of a program with the expected tokens. */
export interface Part {
  readonly kind: "code" | "string" | "comment" | "magic";
  readonly text: string;
}

type Parts = readonly Part[];
/** A statement of one or more lines, given the indentation of its block. */
type Statement = (indent: string) => Parts;

const code = (text: string): Part => ({ kind: "code", text });
const joined = <T>(items: readonly T[], between: T): T[] =>
  items.flatMap((item, at) => (at === 0 ? [item] : [between, item]));
const textOf = (parts: Parts) => parts.map(({ text }) => text).join("");

const name = fc.constantFrom("a", "df", "x_train", "f", "rb", "names", "π", "_", "b");
const number = fc.constantFrom("0", "1.5", "1e-3", "0xFF", "1_000", "2j", ".5");
const blanks = fc.constantFrom("", "", " ", "  \t");
const comment = fc
  .constantFrom("", " a remark", " it's", ' "quoted', " 100 % sure", "!ls", " ends with \\", "# # {", ' f"{x}"', " '''")
  .map((text): Part => ({ kind: "comment", text: `#${text}` }));

/** Text inside a literal that does not end any kind of string, raw strings included. */
const plainText = fc.constantFrom(
  "a",
  " ",
  "#",
  "# no comment",
  "%",
  "%s",
  "100 %",
  "!ls",
  "?",
  "\\\\",
  "\\n",
  "\\'",
  '\\"',
  ":",
  "\\d",
);
const longText = fc.oneof(
  plainText,
  fc.constantFrom("\n", "\n\n", "  \n", "\n# no comment\n", "\n%time x\n", "\n!ls\n", " \\\n", "\n    "),
);

const PLAIN_PREFIXES = ["", "r", "R", "b", "B", "u", "U", "br", "Rb", "rB", "BR", "ur"];
const FIELD_PREFIXES = ["f", "F", "rf", "fR", "Rf", "t", "tr"];
const QUOTES = ["'", '"', "'''", '"""'];

/**
 * String literals with every prefix and quote. F-strings have fields with formats, nested strings with the same quotes,
 * and line breaks.
 */
function stringLiteral(depth: number): fc.Arbitrary<string> {
  const bodyOf = (quote: string) => (quote.length === 3 ? longText : plainText);
  const plain = fc
    .tuple(fc.constantFrom(...PLAIN_PREFIXES), fc.constantFrom(...QUOTES))
    .chain(([prefix, quote]) =>
      fc.array(bodyOf(quote), { maxLength: 5 }).map((body) => `${prefix}${quote}${body.join("")}${quote}`),
    );
  if (depth === 0) return plain;
  const nested = stringLiteral(depth - 1);
  const field = fc.oneof(
    fc.constantFrom(
      "{{",
      "}}",
      "{{}}",
      "{a}",
      "{ a }",
      "{a!r}",
      "{a=}",
      "{a:>10}",
      "{a:#x}",
      "{a:%Y-%m}",
      "{a!s:{b}.{f}}",
    ),
    fc.constantFrom(
      "{ {1: 2}[1] }",
      "{(lambda: 1)()}",
      "{a if b else f}",
      "{a[1:2]}",
      "{\n          a\n          }",
      "{a # why\n          }",
    ),
    nested.map((inner) => `{${inner}}`),
    nested.map((inner) => `{a[${inner}]}`),
    nested.map((inner) => `{f(${inner}, b)!r:>4}`),
  );
  const interpolated = fc
    .tuple(fc.constantFrom(...FIELD_PREFIXES), fc.constantFrom(...QUOTES))
    .chain(([prefix, quote]) =>
      fc
        .array(
          fc.oneof(
            bodyOf(quote).filter((text) => !text.includes("\\")),
            field,
          ),
          { maxLength: 4 },
        )
        .map((body) => `${prefix}${quote}${body.join("")}${quote}`),
    );
  return fc.oneof(plain, interpolated);
}

const string = stringLiteral(2).map((text): Part => ({ kind: "string", text }));

const { expression } = fc.letrec<{ expression: Parts; atom: Parts; bracketed: Parts }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 3 },
    tie("atom"),
    fc
      .tuple(tie("atom"), fc.constantFrom(" + ", " % ", "%", " != ", " and ", "@", " if a else "), tie("atom"))
      .map(([left, operator, right]) => [...left, code(operator), ...right]),
    fc
      .tuple(tie("atom"), fc.constantFrom(" \\\n  + ", " \\\n% ", "\\\n % ", " \\\n != ", " %\\\n"), tie("atom"))
      .map(([left, operator, right]) => [...left, code(operator), ...right]),
  ),
  atom: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(name, number).map((text) => [code(text)]),
    string.map((part) => [part]),
    tie("bracketed"),
  ),
  bracketed: fc
    .tuple(
      fc.constantFrom(["f(", ")"], ["[", "]"], ["(", ")"], ["df[", "]"], ["{", "}"], ["a.b(", ")"]),
      fc.array(fc.tuple(tie("expression"), fc.option(comment), blanks), { minLength: 1, maxLength: 3 }),
    )
    .map(([[open, close], items]) => {
      const inner = items.map(([item, remark, space]) =>
        remark === null ? [...item, code(`,${space}`)] : [...item, code(`,${space}`), remark, code("\n  ")],
      );
      return [code(open!), ...inner.flat(), code(close!)];
    }),
}));

/** The end of a statement: trailing blanks, a comment, or a backslash whose next line is empty or a comment. */
const ending = fc.oneof(
  { weight: 6, arbitrary: blanks.map((space): Parts => [code(space)]) },
  { weight: 3, arbitrary: fc.tuple(blanks, comment).map(([space, remark]): Parts => [code(space), remark]) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Parts>(
      [code(" \\\n")],
      [code(" \\\n  \t")],
      [code("\\\n"), { kind: "comment", text: "# c" }],
    ),
  },
);

const simple: fc.Arbitrary<Statement> = fc
  .tuple(fc.constantFrom("", "a = ", "df.x += ", "return_ = ", "print ", "assert "), expression, ending)
  .map(([start, value, end]) => (indent) => [code(`${indent}${start === "print " ? "" : start}`), ...value, ...end]);

const filler: fc.Arbitrary<Statement> = fc.oneof(
  blanks.map((space) => () => [code(space)]),
  fc.tuple(blanks, comment).map(([space, remark]) => () => [code(space), remark]),
);

const magicText = fc.constantFrom(
  "!pip install 'a",
  "!ls # all",
  "%matplotlib inline",
  "%time f(x)  # why",
  "?df",
  "%timeit?",
  "!a \\\n  b",
  "??f",
  "%cd ~/x",
);

const magic: fc.Arbitrary<Statement> = fc.oneof<fc.Arbitrary<Statement>[]>(
  magicText.map((text) => (indent) => [code(indent), { kind: "magic", text }]),
  fc
    .constantFrom("!ls # x", "%sql select '", "!cat 'a")
    .map((text) => (indent) => [code(`${indent}a = `), { kind: "magic", text }]),
  fc.constantFrom("?", "??").map((text) => (indent) => [code(`${indent}df.head`), { kind: "magic", text }]),
);

function block(line: fc.Arbitrary<Statement>): fc.Arbitrary<Statement> {
  const header = fc.constantFrom("if a:", "for a in b:", "def f(a, b=1):", "while a:", "with f(a) as b:", "try:");
  return fc
    .tuple(
      header,
      ending.filter((parts) => !textOf(parts).includes("\\\n")),
      fc.array(fc.oneof(line, filler), { maxLength: 3 }),
      line,
    )
    .map(([head, end, body, last]) => (indent) => {
      const tail: Statement[] = head === "try:" ? [() => [code(`${indent}finally: a`)]] : [];
      const inner = [...body, last].map((statement) => statement(`${indent}    `));
      return joined(
        [[code(`${indent}${head}`), ...end], ...inner, ...tail.map((statement) => statement(""))],
        [code("\n")],
      ).flat();
    });
}

function program(line: fc.Arbitrary<Statement>, head: fc.Arbitrary<Parts>): fc.Arbitrary<Parts> {
  const statement = fc.oneof(
    { weight: 4, arbitrary: line },
    { weight: 2, arbitrary: filler },
    { weight: 1, arbitrary: block(line) },
  );
  return fc.tuple(head, fc.array(statement, { minLength: 1, maxLength: 6 })).map(([start, statements]) => [
    ...start,
    ...joined(
      statements.map((make) => make("")),
      [code("\n")],
    ).flat(),
  ]);
}

/** Programs of plain Python. */
export const pythonProgram = program(simple, fc.constant([]));

/** Programs with magics; there is at least one at the start. */
export const magicProgram = program(
  fc.oneof({ weight: 3, arbitrary: simple }, { weight: 1, arbitrary: magic }),
  fc.constantFrom<Parts>(
    [{ kind: "magic", text: "%load_ext autoreload" }, code("\n")],
    [{ kind: "magic", text: "%%time" }, code("\n")],
    [
      code("\n"),
      { kind: "comment", text: "# timed" },
      code("\n\n"),
      { kind: "magic", text: "%%timeit -n 1" },
      code("\n"),
    ],
    [{ kind: "magic", text: "%%capture out" }, code("  \n")],
    [code("if a:\n    "), { kind: "magic", text: "!pip install x # 'now" }, code("\n")],
  ),
);

export const programText = textOf;
