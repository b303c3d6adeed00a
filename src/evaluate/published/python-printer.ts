import { formatStringLiteral, reprBytes, reprNumber } from "./python-repr.js";
import type { Expression, Generator, Keyword, Parameter, Parameters, Statement } from "./python-syntax.js";
import { wrapLines } from "./python-wrap.js";

/**
 * Precedences from the weakest to the strongest. Names on one line are equal. Values are two apart, which leaves room
 * for "one more than". Operators are listed by symbol, unary ones with the prefix `u`.
 */
const PRECEDENCE: Readonly<Record<string, number>> = Object.fromEntries(
  [
    "GeneratorExp",
    "Assign",
    "AnnAssign AugAssign Expr",
    "Yield YieldFrom",
    "If For AsyncFor While",
    "Return",
    "Slice Subscript",
    "Index",
    "ExtSlice",
    "comprehension_target Tuple",
    "Comma Assert Raise",
    "call_one_arg",
    "Lambda IfExp",
    "comprehension",
    "Or",
    "And",
    "not",
    "== > >= in is != < <= not_in is_not",
    "|",
    "^",
    "&",
    "<< >>",
    "+ -",
    "* / % // @",
    "PowRHS",
    "u~ u+ u-",
    "**",
    "Await",
    "Num",
  ].flatMap((names, level) => names.split(" ").map((name) => [name, 2 * level + 1])),
);
const HIGHEST = Math.max(...Object.values(PRECEDENCE)) + 2;
const INDENT = "    ";

type Item = string | Expression | (() => void);

/**
 * Prints a syntax tree like astor 0.7.1, with the same parentheses, blank lines, string literals and line breaks.
 * JuICe's canonical tokens are read from this text. Comments and the author's layout are lost.
 */
export function printPython(body: readonly Statement[]): string {
  const printer = createPrinter();
  printer.statements(body);
  return wrapLines(printer.finish());
}

const precedence = (name: string): number => PRECEDENCE[name.replace(" ", "_")]!;

function setOuter(value: number, ...nodes: readonly (Expression | null)[]): void {
  for (const node of nodes) if (node !== null) node.outer = value;
}

/** Whether a node needs no parentheses in its context. */
const isLoose = (node: Expression, name: string): boolean => precedence(name) >= (node.outer ?? HIGHEST);

function createPrinter() {
  /** Pieces of text. They are not joined yet, because the places of line breaks depend on the pieces. */
  const result: string[] = [];
  let level = 0;
  let newLines = 0;
  /** Start of the current line: a piece, and an offset in it. */
  let lineStart: readonly [piece: number, at: number] = [0, 0];

  return {
    statements,
    finish(): string[] {
      result.push("\n");
      if (/^\n+$/.test(result[0]!)) result[0] = "";
      return result;
    },
  };

  function write(...items: readonly Item[]): void {
    for (const item of items) {
      if (typeof item === "function") item();
      else if (typeof item !== "string") expression(item);
      else if (item === "\n") newLine();
      else {
        flush();
        if (item !== "") result.push(item);
      }
    }
  }

  function flush(): void {
    if (newLines === 0) return;
    result.push("\n".repeat(newLines));
    lineStart = [result.length, 0];
    result.push(INDENT.repeat(level));
    newLines = 0;
  }

  function newLine(extra = 0): void {
    newLines = Math.max(newLines, 1 + extra);
  }

  function line(...items: readonly Item[]): void {
    newLine();
    write(...items);
  }

  /** Writes in brackets. If `isDiscarded` says so, the brackets are removed again and leave an empty piece. */
  function delimit(brackets: string, write_: () => void, isDiscarded = false): void {
    write(brackets[0]!);
    const start = result.length - 1;
    write_();
    if (isDiscarded) result[start] = "";
    else result.push(brackets[1]!);
  }

  function commas(items: readonly Expression[], hasTrailing = false): void {
    setOuter(precedence("Comma"), ...items);
    for (const [at, item] of items.entries()) write(at > 0 ? ", " : "", item);
    write(hasTrailing ? "," : "");
  }

  function statements(body: readonly Statement[]): void {
    for (const one of body) statement(one);
  }

  function suite(body: readonly Statement[]): void {
    level += 1;
    statements(body);
    level -= 1;
  }

  function elseSuite(body: readonly Statement[]): void {
    if (body.length === 0) return;
    write("\n", "else:");
    suite(body);
  }

  function statement(node: Statement): void {
    switch (node.type) {
      case "Assign":
        setOuter(precedence("Assign"), node.value, ...node.targets);
        newLine();
        for (const target of node.targets) write(target, " = ");
        expression(node.value);
        break;
      case "AugAssign":
        setOuter(precedence("AugAssign"), node.value, node.target);
        line(node.target, ` ${node.op}= `, node.value);
        break;
      case "AnnAssign": {
        setOuter(precedence("AnnAssign"), node.target, node.annotation);
        setOuter(precedence("Comma"), node.value);
        const isBracketed = node.target.type === "Name" && !node.isSimple;
        line(isBracketed ? "(" : "", node.target, isBracketed ? ")" : "", ": ", node.annotation);
        writeIf(node.value, " = ");
        break;
      }
      case "ImportFrom":
        line("from ", ".".repeat(node.level), node.module ?? "", " import ");
        aliases(node.names);
        break;
      case "Import":
        line("import ");
        aliases(node.names);
        break;
      case "Expr":
        setOuter(precedence("Expr"), node.value);
        line();
        expression(node.value);
        break;
      case "FunctionDef":
      case "AsyncFunctionDef":
        functionDefinition(node);
        break;
      case "ClassDef":
        classDefinition(node);
        break;
      case "If":
        ifStatement(node);
        break;
      case "For":
      case "AsyncFor":
        setOuter(precedence(node.type), node.target);
        line(node.type === "AsyncFor" ? "async for " : "for ", node.target, " in ", node.iter, ":");
        suite(node.body);
        elseSuite(node.orelse);
        break;
      case "While":
        setOuter(precedence("While"), node.test);
        line("while ", node.test, ":");
        suite(node.body);
        elseSuite(node.orelse);
        break;
      case "With":
      case "AsyncWith":
        line(node.type === "AsyncWith" ? "async with " : "with ");
        for (const [at, { context, vars }] of node.items.entries()) {
          write(at > 0 ? ", " : "", context);
          writeIf(vars, " as ");
        }
        write(":");
        suite(node.body);
        break;
      case "Delete":
        line("del ");
        commas(node.targets);
        break;
      case "Try":
        tryStatement(node);
        break;
      case "Assert":
        setOuter(precedence("Assert"), node.test, node.msg);
        line("assert ", node.test);
        writeIf(node.msg, ", ");
        break;
      case "Global":
      case "Nonlocal":
        line(node.type === "Global" ? "global " : "nonlocal ", node.names.join(", "));
        break;
      case "Return":
        setOuter(precedence("Return"), node.value);
        line("return");
        writeIf(node.value, " ");
        break;
      case "Raise":
        line("raise");
        writeIf(node.exc, " ");
        writeIf(node.exc === null ? null : node.cause, " from ");
        break;
      default:
        line(node.type.toLowerCase());
        break;
    }
  }

  function writeIf(node: Expression | null, before: string): void {
    if (node !== null) write(before, node);
  }

  function aliases(names: readonly { readonly name: string; readonly asname: string | null }[]): void {
    for (const [at, { name, asname }] of names.entries()) {
      write(at > 0 ? ", " : "", name);
      if (asname !== null) write(" as ", asname);
    }
  }

  function decorators(nodes: readonly Expression[], extra: number): void {
    newLine(extra);
    for (const node of nodes) line("@", node);
  }

  function functionDefinition(node: Statement & { type: "FunctionDef" | "AsyncFunctionDef" }): void {
    decorators(node.decorators, level > 0 ? 1 : 2);
    line(`${node.type === "AsyncFunctionDef" ? "async " : ""}def ${node.name}`, "(");
    parameters(node.args);
    write(")");
    writeIf(node.returns, " ->");
    write(":");
    suite(node.body);
    if (level === 0) newLine(2);
  }

  function classDefinition(node: Statement & { type: "ClassDef" }): void {
    decorators(node.decorators, 2);
    line(`class ${node.name}`);
    let isOpen = false;
    const separate = () => {
      write(isOpen ? ", " : "(");
      isOpen = true;
    };
    for (const base of node.bases) write(separate, base);
    for (const { name, value } of node.keywords) write(separate, name ?? "", name === null ? "**" : "=", value);
    write(isOpen ? "):" : ":");
    suite(node.body);
    if (level === 0) newLine(2);
  }

  function ifStatement(first: Statement & { type: "If" | "While" }): void {
    let node = first;
    setOuter(precedence("If"), node.test);
    line("if ", node.test, ":");
    suite(node.body);
    while (node.orelse.length === 1 && node.orelse[0]!.type === "If") {
      node = node.orelse[0]! as typeof first;
      setOuter(precedence("If"), node.test);
      write("\n", "elif ", node.test, ":");
      suite(node.body);
    }
    elseSuite(node.orelse);
  }

  function tryStatement(node: Statement & { type: "Try" }): void {
    line("try:");
    suite(node.body);
    for (const { type, name, body } of node.handlers) {
      line("except");
      writeIf(type, " ");
      if (type !== null && name !== null) write(" as ", name);
      write(":");
      suite(body);
    }
    elseSuite(node.orelse);
    if (node.finalbody.length === 0) return;
    line("finally:");
    suite(node.finalbody);
  }

  function parameters({ args, defaults, vararg, kwonly, kwDefaults, kwarg }: Parameters): void {
    let isFirst = true;
    const comma = () => {
      if (!isFirst) write(", ");
      isFirst = false;
    };
    const list = (names: readonly Parameter[], values: readonly (Expression | null)[]) => {
      setOuter(precedence("Comma"), ...values);
      const without = names.length - values.length;
      for (const [at, name] of names.entries()) {
        write(comma);
        parameter(name);
        writeIf(values[at - without] ?? null, "=");
      }
    };
    list(args, defaults);
    if (vararg !== null) {
      write(comma, "*");
      parameter(vararg);
    }
    if (kwonly.length > 0) {
      if (vararg === null) write(comma, "*");
      list(kwonly, kwDefaults);
    }
    if (kwarg === null) return;
    write(comma, "**");
    parameter(kwarg);
  }

  function parameter({ name, annotation }: Parameter): void {
    write(name);
    writeIf(annotation, ": ");
  }

  function expression(node: Expression): void {
    switch (node.type) {
      case "Attribute":
        write(node.value, ".", node.attr);
        break;
      case "Call":
        call(node.func, node.args, node.keywords);
        break;
      case "Name":
        write(node.id);
        break;
      case "NameConstant":
        write(node.name);
        break;
      case "Str":
        string(node.text, "");
        break;
      case "JoinedStr":
        string(joined(node), "f");
        break;
      case "Bytes":
        write(reprBytes(node.text));
        break;
      case "Num":
        delimit("()", () => write(reprNumber(node.value)), isLoose(node, "Num"));
        break;
      case "Tuple": {
        const isDiscarded = isLoose(node, "Tuple") && node.elts.length > 0;
        delimit("()", () => commas(node.elts, node.elts.length === 1), isDiscarded);
        break;
      }
      case "List":
        delimit("[]", () => commas(node.elts));
        break;
      case "Set":
        delimit("{}", () => commas(node.elts));
        break;
      case "Dict":
        dictionary(node);
        break;
      case "BinOp":
        binary(node);
        break;
      case "BoolOp": {
        setOuter(precedence(node.op) + 1, ...node.values);
        const word = ` ${node.op.toLowerCase()} `;
        const values = () => write(...node.values.flatMap((value, at) => (at > 0 ? [word, value] : [value])));
        delimit("()", values, isLoose(node, node.op));
        break;
      }
      case "Compare": {
        const op = node.ops[0]!;
        setOuter(precedence(op) + 1, node.left, ...node.comparators);
        const parts = node.comparators.flatMap((right, at) => [` ${node.ops[at]} `, right]);
        delimit("()", () => write(node.left, ...parts), isLoose(node, op));
        break;
      }
      case "UnaryOp": {
        const name = node.op === "not" ? "not" : `u${node.op}`;
        setOuter(precedence(name), node.operand);
        const space = node.op === "not" ? " " : "";
        delimit("()", () => write(node.op, space, node.operand), isLoose(node, name));
        break;
      }
      case "Subscript":
        setOuter(precedence("Subscript"), node.slice);
        write(node.value, "[", node.slice, "]");
        break;
      case "Slice":
        slice(node);
        break;
      case "Index":
        setOuter(precedence("Index"), node.value);
        delimit("()", () => write(node.value), isLoose(node, "Index"));
        break;
      case "ExtSlice":
        commas(node.dims, node.dims.length === 1);
        break;
      case "Yield":
        setOuter(precedence("Yield") + 1, node.value);
        delimit("()", () => write("yield", ...(node.value === null ? [] : [" ", node.value])), isLoose(node, "Yield"));
        break;
      case "YieldFrom":
        delimit("()", () => write("yield from ", node.value), isLoose(node, "YieldFrom"));
        break;
      case "Await":
        delimit("()", () => write("await ", node.value), isLoose(node, "Await"));
        break;
      case "Lambda":
        setOuter(precedence("Lambda"), node.body);
        delimit(
          "()",
          () => {
            write("lambda ");
            parameters(node.args);
            write(": ", node.body);
          },
          isLoose(node, "Lambda"),
        );
        break;
      case "Ellipsis":
        write("...");
        break;
      case "ListComp":
        delimit("[]", () => write(node.elt, () => generators(node.generators)));
        break;
      case "SetComp":
        delimit("{}", () => write(node.elt, () => generators(node.generators)));
        break;
      case "DictComp":
        delimit("{}", () => write(node.key, ": ", node.value, () => generators(node.generators)));
        break;
      case "GeneratorExp": {
        setOuter(precedence("Comma"), node.elt);
        const isOnly = node.outer === precedence("call_one_arg");
        delimit(
          "()",
          () => write(node.elt, () => generators(node.generators)),
          isOnly || isLoose(node, "GeneratorExp"),
        );
        break;
      }
      case "IfExp":
        setOuter(precedence("IfExp") + 1, node.body, node.test);
        setOuter(precedence("IfExp"), node.orelse);
        delimit("()", () => write(node.body, " if ", node.test, " else ", node.orelse), isLoose(node, "IfExp"));
        break;
      case "Starred":
        write("*", node.value);
        break;
      default:
        throw new Error(`${node.type} stands outside an f-string.`);
    }
  }

  function call(func: Expression, args: readonly Expression[], keywords: readonly Keyword[]): void {
    setOuter(precedence(args.length + keywords.length > 1 ? "Comma" : "call_one_arg"), ...args);
    write(func, "(");
    let isFirst = true;
    const comma = () => {
      if (!isFirst) write(", ");
      isFirst = false;
    };
    for (const arg of args) write(comma, arg);
    setOuter(precedence("Comma"), ...keywords.map(({ value }) => value));
    for (const { name, value } of keywords) write(comma, name ?? "", name === null ? "**" : "=", value);
    write(")");
  }

  function dictionary({ keys, values }: Expression & { type: "Dict" }): void {
    setOuter(precedence("Comma"), ...values);
    delimit("{}", () => {
      for (const [at, value] of values.entries()) {
        const key = keys[at]!;
        write(at > 0 ? ", " : "", key ?? "", key === null ? "**" : ": ", value);
      }
    });
  }

  function binary(node: Expression & { type: "BinOp" }): void {
    const isPower = node.op === "**";
    const own = precedence(node.op);
    setOuter(isPower ? precedence("**") + 1 : own, node.left);
    setOuter(isPower ? precedence("PowRHS") : own + 1, node.right);
    delimit("()", () => write(node.left, ` ${node.op} `, node.right), isLoose(node, node.op));
  }

  function slice({ lower, upper, step }: Expression & { type: "Slice" }): void {
    setOuter(precedence("Slice"), lower, upper, step);
    if (lower !== null) write(lower);
    write(":");
    if (upper !== null) write(upper);
    if (step === null) return;
    write(":", step);
  }

  function generators(nodes: readonly Generator[]): void {
    for (const { target, iter, ifs, isAsync } of nodes) {
      setOuter(precedence("comprehension"), iter, ...ifs);
      setOuter(precedence("comprehension_target"), target);
      write(isAsync ? " async for " : " for ", target, " in ", iter);
      for (const condition of ifs) write(" if ", condition);
    }
  }

  /** The text of an f-string with its fields printed. */
  function joined(node: Expression & { type: "JoinedStr" }): string {
    flush();
    const kept = lineStart;
    const start = result.length;
    const values = (parts: readonly Expression[]): void => {
      for (const part of parts) {
        if (part.type === "Str") write(part.text);
        else if (part.type === "FormattedValue") {
          delimit("{}", () => {
            write(part.value);
            if (part.conversion !== null) write(`!${part.conversion}`);
            if (part.spec === null) return;
            write(":");
            values((part.spec as typeof node).values);
          });
        }
      }
    };
    values(node.values);
    flush();
    lineStart = kept;
    return result.splice(start).join("");
  }

  function string(text: string, prefix: string): void {
    flush();
    const [piece, at] = lineStart;
    const current = result.slice(piece).join("").slice(at);
    const literal = prefix + formatStringLiteral(text, current);
    write(literal);
    const lastBreak = literal.lastIndexOf("\n") + 1;
    if (lastBreak > 0) lineStart = [result.length - 1, lastBreak];
  }
}
