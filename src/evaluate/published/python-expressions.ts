import { readNumber, readStrings } from "./python-literals.js";
import {
  type Expression,
  type Generator,
  type Keyword,
  type Parameter,
  type Parameters,
  PythonSyntaxError,
} from "./python-syntax.js";
import { type PythonToken, PythonTokenError, tokenizePython } from "./python-tokens.js";

const KEYWORDS = new Set(
  `False None True and as assert async await break class continue def del elif else except finally for from global if
  import in is lambda nonlocal not or pass raise return try while with yield`.split(/\s+/),
);
const COMPARISONS = new Set(["<", ">", "==", ">=", "<=", "!=", "in", "is", "not"]);
/** Binary operators from the weakest to the strongest. */
const LEVELS: readonly ReadonlySet<string>[] = [
  new Set(["|"]),
  new Set(["^"]),
  new Set(["&"]),
  new Set(["<<", ">>"]),
  new Set(["+", "-"]),
  new Set(["*", "/", "%", "//", "@"]),
];
const MAX_DEPTH = 90;

/** A cursor over the tokens of a text, without comments and blank lines. */
export interface Cursor {
  peek(ahead?: number): PythonToken;
  next(): PythonToken;
  /** Whether an operator or keyword is next. */
  is(text: string): boolean;
  /** Consumes an operator or keyword if it is next. */
  take(text: string): boolean;
  expect(text: string): void;
  /** Consumes a name that is not a keyword. */
  name(): string;
  isName(): boolean;
}

export function createCursor(code: string): Cursor {
  const tokens = readTokens(code)
    .filter(({ kind }) => kind !== "comment" && kind !== "blank")
    // A last line of blanks also has a line end, which ends no statement.
    .filter(({ kind }, at, all) => kind !== "newline" || (at > 0 && all[at - 1]!.kind !== "newline"));
  let at = 0;
  const peek = (ahead = 0) => tokens[Math.min(at + ahead, tokens.length - 1)]!;
  const is = (text: string) => peek().text === text && (peek().kind === "operator" || peek().kind === "name");
  const isName = () => peek().kind === "name" && !KEYWORDS.has(peek().text);
  const next = () => {
    const token = peek();
    at += 1;
    return token;
  };
  return {
    peek,
    next,
    is,
    take: (text) => is(text) && next() !== undefined,
    expect: (text) => {
      if (!is(text)) throw new PythonSyntaxError(`Expected ${text} on line ${peek().line}, not ${peek().text}`);
      at += 1;
    },
    isName,
    name: () => {
      if (!isName()) throw new PythonSyntaxError(`Expected a name on line ${peek().line}, not ${peek().text}`);
      return next().text.normalize("NFKC");
    },
  };
}

function readTokens(code: string): PythonToken[] {
  if (code.includes("\0")) throw new PythonSyntaxError("The text contains a null character.");
  try {
    return tokenizePython(code.replace(/\r\n?/g, "\n"), { checkTabs: true });
  } catch (error) {
    if (error instanceof PythonTokenError) throw new PythonSyntaxError(error.message, { cause: error });
    throw error;
  }
}

/** One expression that is the whole text, as in `ast.parse(code, mode="eval")`. */
export function parseExpression(code: string): Expression {
  const cursor = createCursor(code);
  const value = createExpressionParser(cursor).testList();
  while (cursor.peek().kind === "newline") cursor.next();
  if (cursor.peek().kind !== "end") throw new PythonSyntaxError(`Did not expect ${cursor.peek().text}`);
  return value;
}

export type ExpressionParser = ReturnType<typeof createExpressionParser>;

/** The rules of Python 3.7's grammar for expressions, each under its name there. */
export function createExpressionParser(cursor: Cursor) {
  let depth = 0;
  return {
    test,
    expr,
    exprList,
    exprItems,
    testList,
    testListStar,
    yieldOrTestListStar,
    argumentList,
    parameters,
    yieldExpression,
  };

  function nested<T>(read: () => T): T {
    depth += 1;
    if (depth > MAX_DEPTH) throw new PythonSyntaxError("The text is nested too deeply.");
    try {
      return read();
    } finally {
      depth -= 1;
    }
  }

  function test(): Expression {
    return nested(() => {
      if (cursor.is("lambda")) return lambda(test);
      const body = orTest();
      if (!cursor.take("if")) return body;
      const condition = orTest();
      cursor.expect("else");
      return { type: "IfExp", test: condition, body, orelse: test() };
    });
  }

  function testNoCondition(): Expression {
    return cursor.is("lambda") ? lambda(testNoCondition) : orTest();
  }

  function lambda(readBody: () => Expression): Expression {
    cursor.expect("lambda");
    const args = parameters(":", false);
    cursor.expect(":");
    return { type: "Lambda", args, body: readBody() };
  }

  function orTest(): Expression {
    return chain("or", "Or", () => chain("and", "And", notTest));
  }

  function chain(word: string, op: string, read: () => Expression): Expression {
    const values = [read()];
    while (cursor.take(word)) values.push(read());
    return values.length === 1 ? values[0]! : { type: "BoolOp", op, values };
  }

  function notTest(): Expression {
    if (!cursor.take("not")) return comparison();
    return nested(() => ({ type: "UnaryOp", op: "not", operand: notTest() }));
  }

  function comparison(): Expression {
    const left = expr();
    const ops: string[] = [];
    const comparators: Expression[] = [];
    while (COMPARISONS.has(cursor.peek().text) && cursor.is(cursor.peek().text)) {
      let op = cursor.next().text;
      if (op === "not") {
        cursor.expect("in");
        op = "not in";
      } else if (op === "is" && cursor.take("not")) op = "is not";
      ops.push(op);
      comparators.push(expr());
    }
    return ops.length === 0 ? left : { type: "Compare", left, ops, comparators };
  }

  function expr(level = 0): Expression {
    const operators = LEVELS[level];
    if (operators === undefined) return factor();
    let left = expr(level + 1);
    while (cursor.peek().kind === "operator" && operators.has(cursor.peek().text)) {
      const op = cursor.next().text;
      left = { type: "BinOp", left, op, right: expr(level + 1) };
    }
    return left;
  }

  function factor(): Expression {
    for (const op of ["+", "-", "~"]) {
      if (cursor.take(op)) return nested(() => ({ type: "UnaryOp", op, operand: factor() }));
    }
    const left = atomWithTrailers();
    return cursor.take("**") ? nested(() => ({ type: "BinOp", left, op: "**", right: factor() })) : left;
  }

  function atomWithTrailers(): Expression {
    if (cursor.take("await")) return { type: "Await", value: trailers(atom()) };
    return trailers(atom());
  }

  function trailers(value: Expression): Expression {
    let left = value;
    for (;;) {
      if (cursor.take("(")) left = { type: "Call", func: left, ...nested(() => argumentList(true)) };
      else if (cursor.take("[")) left = { type: "Subscript", value: left, slice: nested(subscripts) };
      else if (cursor.take(".")) left = { type: "Attribute", value: left, attr: cursor.name() };
      else return left;
    }
  }

  function atom(): Expression {
    const token = cursor.peek();
    if (token.kind === "number") return { type: "Num", value: readNumber(cursor.next().text) };
    if (token.kind === "string") return strings();
    if (cursor.isName()) return { type: "Name", id: cursor.name() };
    if (token.kind === "name" && (token.text === "None" || token.text === "True" || token.text === "False")) {
      cursor.next();
      return { type: "NameConstant", name: token.text };
    }
    if (cursor.take("...")) return { type: "Ellipsis" };
    if (cursor.take("(")) return nested(parenthesised);
    if (cursor.take("[")) return nested(list);
    if (cursor.take("{")) return nested(dictionaryOrSet);
    throw new PythonSyntaxError(`Did not expect ${JSON.stringify(token.text)} on line ${token.line}`);
  }

  function strings(): Expression {
    const texts: string[] = [];
    while (cursor.peek().kind === "string") texts.push(cursor.next().text);
    return readStrings(texts, (code) => parseExpression(`(${code})`));
  }

  function parenthesised(): Expression {
    if (cursor.take(")")) return { type: "Tuple", elts: [] };
    if (cursor.is("yield")) {
      const value = yieldExpression();
      cursor.expect(")");
      return value;
    }
    const first = testOrStar();
    if (isComprehension()) {
      refuseStar(first);
      const value: Expression = { type: "GeneratorExp", elt: first, generators: generators() };
      cursor.expect(")");
      return value;
    }
    const value = restOfTuple(first, testOrStar);
    cursor.expect(")");
    return value;
  }

  function list(): Expression {
    if (cursor.take("]")) return { type: "List", elts: [] };
    const first = testOrStar();
    if (isComprehension()) {
      refuseStar(first);
      const value: Expression = { type: "ListComp", elt: first, generators: generators() };
      cursor.expect("]");
      return value;
    }
    const elts = [first, ...restOfList("]", testOrStar)];
    cursor.expect("]");
    return { type: "List", elts };
  }

  function dictionaryOrSet(): Expression {
    if (cursor.take("}")) return { type: "Dict", keys: [], values: [] };
    if (!cursor.is("**")) {
      const first = testOrStar();
      if (!cursor.is(":")) return restOfSet(first);
      refuseStar(first);
      return restOfDictionary(first);
    }
    return restOfDictionary(null);
  }

  function restOfSet(first: Expression): Expression {
    if (isComprehension()) {
      refuseStar(first);
      const value: Expression = { type: "SetComp", elt: first, generators: generators() };
      cursor.expect("}");
      return value;
    }
    const elts = [first, ...restOfList("}", testOrStar)];
    cursor.expect("}");
    return { type: "Set", elts };
  }

  function restOfDictionary(first: Expression | null): Expression {
    const keys: (Expression | null)[] = [];
    const values: Expression[] = [];
    const item = (key: Expression | null) => {
      cursor.expect(key === null ? "**" : ":");
      keys.push(key);
      values.push(key === null ? expr() : test());
    };
    item(first);
    if (first !== null && isComprehension()) {
      const value: Expression = { type: "DictComp", key: first, value: values[0]!, generators: generators() };
      cursor.expect("}");
      return value;
    }
    while (cursor.take(",") && !cursor.is("}")) item(cursor.is("**") ? null : test());
    cursor.expect("}");
    return { type: "Dict", keys, values };
  }

  function testOrStar(): Expression {
    return cursor.take("*") ? { type: "Starred", value: expr() } : test();
  }

  function exprOrStar(): Expression {
    return cursor.take("*") ? { type: "Starred", value: expr() } : expr();
  }

  /** The items after the first, each after a comma; a trailing comma is allowed. */
  function restOfList(end: string, read: () => Expression): Expression[] {
    const items: Expression[] = [];
    while (cursor.take(",") && !cursor.is(end)) items.push(read());
    return items;
  }

  /** One item, or a tuple if a comma follows. */
  function restOfTuple(first: Expression, read: () => Expression): Expression {
    if (!cursor.is(",")) return first;
    const elts = [first];
    while (cursor.take(",") && startsExpression()) elts.push(read());
    return { type: "Tuple", elts };
  }

  function startsExpression(): boolean {
    const { kind, text } = cursor.peek();
    if (kind === "number" || kind === "string" || cursor.isName()) return true;
    if (kind === "name") return ["None", "True", "False", "not", "lambda", "await"].includes(text);
    return kind === "operator" && ["(", "[", "{", "+", "-", "~", "...", "*"].includes(text);
  }

  function testList(): Expression {
    return restOfTuple(test(), test);
  }

  function testListStar(): Expression {
    return restOfTuple(testOrStar(), testOrStar);
  }

  function exprList(): Expression {
    return restOfTuple(exprOrStar(), exprOrStar);
  }

  /** The items of an unparenthesized list of expressions. A tuple in parentheses is a single item. */
  function exprItems(): readonly Expression[] {
    const first = exprOrStar();
    if (!cursor.is(",")) return [first];
    return (restOfTuple(first, exprOrStar) as Expression & { type: "Tuple" }).elts;
  }

  function yieldOrTestListStar(): Expression {
    return cursor.is("yield") ? yieldExpression() : testListStar();
  }

  function yieldExpression(): Expression {
    cursor.expect("yield");
    if (cursor.take("from")) return { type: "YieldFrom", value: test() };
    return { type: "Yield", value: startsExpression() && !cursor.is("*") ? testList() : null };
  }

  function isComprehension(): boolean {
    return cursor.is("for") || (cursor.is("async") && cursor.peek(1).text === "for");
  }

  function generators(): Generator[] {
    const found: Generator[] = [];
    while (isComprehension()) {
      const isAsync = cursor.take("async");
      cursor.expect("for");
      const target = exprList();
      checkTarget(target);
      cursor.expect("in");
      const iter = orTest();
      const ifs: Expression[] = [];
      while (cursor.take("if")) ifs.push(testNoCondition());
      found.push({ target, iter, ifs, isAsync });
    }
    return found;
  }

  function subscripts(): Expression {
    const items = [subscript()];
    let isTuple = false;
    while (cursor.take(",")) {
      isTuple = true;
      if (cursor.is("]")) break;
      items.push(subscript());
    }
    cursor.expect("]");
    if (!isTuple) return items[0]!;
    if (items.some(({ type }) => type === "Slice")) return { type: "ExtSlice", dims: items };
    const elts = items.map((item) => (item as Expression & { type: "Index" }).value);
    return { type: "Index", value: { type: "Tuple", elts } };
  }

  function subscript(): Expression {
    const lower = cursor.is(":") ? null : test();
    if (!cursor.take(":")) return { type: "Index", value: lower! };
    const isEnd = () => cursor.is(":") || cursor.is(",") || cursor.is("]");
    const upper = isEnd() ? null : test();
    // `a[1:2:]` has a step of None, which the printer writes.
    if (!cursor.take(":")) return { type: "Slice", lower, upper, step: null };
    return { type: "Slice", lower, upper, step: isEnd() ? null : test() };
  }

  /** The arguments of a call or of a class, up to the closing parenthesis. */
  function argumentList(isCall: boolean): { args: Expression[]; keywords: Keyword[] } {
    const args: Expression[] = [];
    const keywords: Keyword[] = [];
    let bareGenerators = 0;
    let commas = 0;
    while (!cursor.is(")")) {
      if (cursor.take("**")) keywords.push({ name: null, value: test() });
      else if (cursor.take("*")) {
        if (keywords.some(({ name }) => name === null)) throw new PythonSyntaxError("* follows **.");
        args.push({ type: "Starred", value: test() });
      } else if (cursor.isName() && cursor.peek(1).text === "=" && cursor.peek(1).kind === "operator") {
        const name = cursor.name();
        cursor.next();
        if (keywords.some((known) => known.name === name)) throw new PythonSyntaxError(`${name} is given twice.`);
        keywords.push({ name, value: test() });
      } else {
        const value = test();
        if (keywords.length > 0) throw new PythonSyntaxError("A positional argument follows a keyword.");
        if (isComprehension()) {
          bareGenerators += 1;
          args.push({ type: "GeneratorExp", elt: value, generators: generators() });
        } else args.push(value);
      }
      if (!cursor.take(",")) break;
      commas += 1;
    }
    cursor.expect(")");
    if (bareGenerators > 0 && (!isCall || commas > 0)) throw new PythonSyntaxError("A generator needs parentheses.");
    return { args, keywords };
  }

  /** Parameters of a function or, without annotations, of a lambda, up to `end`, which is excluded. */
  function parameters(end: string, isAnnotated: boolean): Parameters {
    const args: Parameter[] = [];
    const defaults: Expression[] = [];
    const kwonly: Parameter[] = [];
    const kwDefaults: (Expression | null)[] = [];
    let vararg: Parameter | null = null;
    let kwarg: Parameter | null = null;
    let hasStar = false;
    const parameter = (): Parameter => ({
      name: cursor.name(),
      annotation: isAnnotated && cursor.take(":") ? test() : null,
    });
    while (!cursor.is(end)) {
      if (cursor.take("**")) {
        kwarg = parameter();
        cursor.take(",");
        break;
      }
      if (!hasStar && cursor.take("*")) {
        hasStar = true;
        if (cursor.isName()) vararg = parameter();
        else if (!(cursor.is(",") && cursor.peek(1).kind === "name"))
          throw new PythonSyntaxError("Names follow a bare *.");
      } else {
        const one = parameter();
        const value = cursor.take("=") ? test() : null;
        if (hasStar) {
          kwonly.push(one);
          kwDefaults.push(value);
        } else {
          if (value === null && defaults.length > 0) throw new PythonSyntaxError("A default is missing.");
          args.push(one);
          if (value !== null) defaults.push(value);
        }
      }
      if (!cursor.take(",")) break;
    }
    return { args, defaults, vararg, kwonly, kwDefaults, kwarg };
  }
}

function refuseStar({ type }: Expression): void {
  if (type === "Starred") throw new PythonSyntaxError("A starred expression cannot be used here.");
}

/** Throws unless the expression may be assigned to. */
export function checkTarget(starred: Expression): void {
  const target = starred.type === "Starred" ? starred.value : starred;
  if (target.type === "Name" || target.type === "Attribute" || target.type === "Subscript") return;
  if (target.type !== "Tuple" && target.type !== "List") throw new PythonSyntaxError(`Cannot assign to ${target.type}`);
  for (const element of target.elts) checkTarget(element);
}
