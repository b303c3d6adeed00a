import {
  type Cursor,
  checkTarget,
  createCursor,
  createExpressionParser,
  type ExpressionParser,
} from "./python-expressions.js";
import { type Alias, type Expression, type Handler, PythonSyntaxError, type Statement } from "./python-syntax.js";

const AUGMENTED = new Set(["+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "**=", "//=", "@="]);

/** A backslash as the last character, which Python 3.7 ignores; not on a line of blanks, where it is an error. */
const LAST_BACKSLASH = /(^|\n|[^ \t\f\n][^\n]*)\\$/;

/**
 * The syntax tree of a text, as `ast.parse` of Python 3.7 makes it.
 * @throws PythonSyntaxError for what is no Python 3.7: magics, `print x`, `:=`, `match`
 */
export function parsePython(code: string): Statement[] {
  const cursor = createCursor(code.replace(LAST_BACKSLASH, "$1"));
  const parser = createStatementParser(cursor, createExpressionParser(cursor));
  const body: Statement[] = [];
  while (cursor.peek().kind !== "end") {
    if (cursor.peek().kind === "newline") cursor.next();
    else body.push(...parser.statements());
  }
  return body;
}

function createStatementParser(cursor: Cursor, expressions: ExpressionParser) {
  return { statements };

  /** One compound statement, or a line of simple ones. */
  function statements(): Statement[] {
    const { kind, text } = cursor.peek();
    if (kind === "indent") throw new PythonSyntaxError(`Line ${cursor.peek().line} is indented for no reason.`);
    if (kind === "operator" && text === "@") return [decorated()];
    if (kind !== "name") return simpleLine();
    if (text === "async") return [asynchronous()];
    const compound = compoundStatement([], false);
    return compound === null ? simpleLine() : [compound];
  }

  function asynchronous(): Statement {
    cursor.expect("async");
    if (!["def", "with", "for"].includes(cursor.peek().text)) throw new PythonSyntaxError("async stands alone.");
    return compoundStatement([], true)!;
  }

  function decorated(): Statement {
    const decorators: Expression[] = [];
    while (cursor.take("@")) {
      let value: Expression = { type: "Name", id: cursor.name() };
      while (cursor.take(".")) value = { type: "Attribute", value, attr: cursor.name() };
      if (cursor.take("(")) value = { type: "Call", func: value, ...expressions.argumentList(true) };
      endLine();
      decorators.push(value);
    }
    const isAsync = cursor.take("async");
    if (!cursor.is("def") && (isAsync || !cursor.is("class")))
      throw new PythonSyntaxError("A decorator needs a definition.");
    return compoundStatement(decorators, isAsync)!;
  }

  function compoundStatement(decorators: readonly Expression[], isAsync: boolean): Statement | null {
    if (cursor.take("if")) return ifStatement();
    if (cursor.take("while")) return { type: "While", test: expressions.test(), body: suite(), orelse: elseSuite() };
    if (cursor.take("for")) return forStatement(isAsync);
    if (cursor.take("try")) return tryStatement();
    if (cursor.take("with")) return withStatement(isAsync);
    if (cursor.take("def")) return functionDefinition(decorators, isAsync);
    if (cursor.take("class")) return classDefinition(decorators);
    return null;
  }

  function ifStatement(): Statement {
    const test = expressions.test();
    const body = suite();
    const orelse = cursor.take("elif") ? [ifStatement()] : elseSuite();
    return { type: "If", test, body, orelse };
  }

  function forStatement(isAsync: boolean): Statement {
    const target = expressions.exprList();
    checkTarget(target);
    cursor.expect("in");
    const iter = expressions.testList();
    return { type: isAsync ? "AsyncFor" : "For", target, iter, body: suite(), orelse: elseSuite() };
  }

  function tryStatement(): Statement {
    const body = suite();
    const handlers: Handler[] = [];
    while (cursor.take("except")) {
      const type = cursor.is(":") ? null : expressions.test();
      const name = type !== null && cursor.take("as") ? cursor.name() : null;
      if (handlers.some((handler) => handler.type === null))
        throw new PythonSyntaxError("The bare except is not the last.");
      handlers.push({ type, name, body: suite() });
    }
    const orelse = handlers.length > 0 ? elseSuite() : [];
    const finalbody = cursor.take("finally") ? suite() : [];
    if (handlers.length === 0 && finalbody.length === 0) throw new PythonSyntaxError("try without except.");
    return { type: "Try", body, handlers, orelse, finalbody };
  }

  function withStatement(isAsync: boolean): Statement {
    const items: { context: Expression; vars: Expression | null }[] = [];
    do {
      const context = expressions.test();
      const vars = cursor.take("as") ? expressions.expr() : null;
      if (vars !== null) checkTarget(vars);
      items.push({ context, vars });
    } while (cursor.take(","));
    return { type: isAsync ? "AsyncWith" : "With", items, body: suite() };
  }

  function functionDefinition(decorators: readonly Expression[], isAsync: boolean): Statement {
    const name = cursor.name();
    cursor.expect("(");
    const args = expressions.parameters(")", true);
    cursor.expect(")");
    const returns = cursor.take("->") ? expressions.test() : null;
    return { type: isAsync ? "AsyncFunctionDef" : "FunctionDef", name, decorators, args, returns, body: suite() };
  }

  function classDefinition(decorators: readonly Expression[]): Statement {
    const name = cursor.name();
    const { args, keywords } = cursor.take("(") ? expressions.argumentList(false) : { args: [], keywords: [] };
    return { type: "ClassDef", name, decorators, bases: args, keywords, body: suite() };
  }

  function elseSuite(): Statement[] {
    return cursor.take("else") ? suite() : [];
  }

  function suite(): Statement[] {
    cursor.expect(":");
    if (cursor.peek().kind !== "newline") return simpleLine();
    cursor.next();
    if (cursor.next().kind !== "indent") throw new PythonSyntaxError("An indented block is missing.");
    const body: Statement[] = [];
    while (cursor.peek().kind !== "dedent") {
      if (cursor.peek().kind === "end") throw new PythonSyntaxError("A block has no end.");
      body.push(...statements());
    }
    cursor.next();
    return body;
  }

  function simpleLine(): Statement[] {
    const line: Statement[] = [];
    do line.push(simpleStatement());
    while (cursor.take(";") && cursor.peek().kind !== "newline");
    endLine();
    return line;
  }

  function endLine(): void {
    const { kind, text, line } = cursor.next();
    if (kind !== "newline") throw new PythonSyntaxError(`Did not expect ${JSON.stringify(text)} on line ${line}`);
  }

  function isEnd(): boolean {
    return cursor.peek().kind === "newline" || cursor.is(";");
  }

  function simpleStatement(): Statement {
    if (cursor.take("pass")) return { type: "Pass" };
    if (cursor.take("break")) return { type: "Break" };
    if (cursor.take("continue")) return { type: "Continue" };
    if (cursor.take("return")) return { type: "Return", value: isEnd() ? null : expressions.testList() };
    if (cursor.take("raise")) return raiseStatement();
    if (cursor.take("del")) return deleteStatement();
    if (cursor.take("global")) return { type: "Global", names: names() };
    if (cursor.take("nonlocal")) return { type: "Nonlocal", names: names() };
    if (cursor.take("assert")) {
      return { type: "Assert", test: expressions.test(), msg: cursor.take(",") ? expressions.test() : null };
    }
    if (cursor.take("import")) return { type: "Import", names: aliases(dottedName) };
    if (cursor.take("from")) return importFrom();
    return expressionStatement();
  }

  function raiseStatement(): Statement {
    if (isEnd()) return { type: "Raise", exc: null, cause: null };
    return { type: "Raise", exc: expressions.test(), cause: cursor.take("from") ? expressions.test() : null };
  }

  function deleteStatement(): Statement {
    const targets = expressions.exprItems();
    for (const target of targets) checkTarget(target);
    return { type: "Delete", targets };
  }

  function names(): string[] {
    const found = [cursor.name()];
    while (cursor.take(",")) found.push(cursor.name());
    return found;
  }

  function dottedName(): string {
    let name = cursor.name();
    while (cursor.take(".")) name += `.${cursor.name()}`;
    return name;
  }

  function alias(readName: () => string): Alias {
    const name = readName();
    return { name, asname: cursor.take("as") ? cursor.name() : null };
  }

  function aliases(readName: () => string): Alias[] {
    const found = [alias(readName)];
    while (cursor.take(",")) found.push(alias(readName));
    return found;
  }

  function importFrom(): Statement {
    let level = 0;
    for (;;) {
      if (cursor.take(".")) level += 1;
      else if (cursor.take("...")) level += 3;
      else break;
    }
    const module = level > 0 && cursor.is("import") ? null : dottedName();
    cursor.expect("import");
    if (cursor.take("*")) return { type: "ImportFrom", module, names: [{ name: "*", asname: null }], level };
    if (!cursor.take("(")) return { type: "ImportFrom", module, names: aliases(cursor.name), level };
    const found = [alias(cursor.name)];
    while (cursor.take(",") && !cursor.is(")")) found.push(alias(cursor.name));
    cursor.expect(")");
    return { type: "ImportFrom", module, names: found, level };
  }

  function expressionStatement(): Statement {
    const start = cursor.peek();
    const first = expressions.yieldOrTestListStar();
    const { kind, text } = cursor.peek();
    if (kind === "operator" && AUGMENTED.has(text)) {
      if (first.type !== "Name" && first.type !== "Attribute" && first.type !== "Subscript") {
        throw new PythonSyntaxError(`${first.type} cannot be changed in place.`);
      }
      cursor.next();
      const value = cursor.is("yield") ? expressions.yieldExpression() : expressions.testList();
      return { type: "AugAssign", target: first, op: text.slice(0, -1), value };
    }
    if (cursor.take(":")) return annotated(first, start.text === "(");
    const parts = [first];
    while (cursor.take("=")) parts.push(expressions.yieldOrTestListStar());
    if (parts.length === 1) return { type: "Expr", value: first };
    for (const target of parts.slice(0, -1)) checkTarget(target);
    return { type: "Assign", targets: parts.slice(0, -1), value: parts.at(-1)! };
  }

  function annotated(target: Expression, startsWithParenthesis: boolean): Statement {
    if (target.type !== "Name" && target.type !== "Attribute" && target.type !== "Subscript") {
      throw new PythonSyntaxError(`${target.type} cannot have a type.`);
    }
    const annotation = expressions.test();
    const value = cursor.take("=") ? expressions.test() : null;
    return { type: "AnnAssign", target, annotation, value, isSimple: target.type === "Name" && !startsWithParenthesis };
  }
}
