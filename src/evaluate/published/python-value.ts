import { parseExpression } from "./python-expressions.js";
import { type Expression, type PythonNumber, PythonSyntaxError } from "./python-syntax.js";

/** A value that `ast.literal_eval` can give. */
export type PythonValue =
  | { readonly type: "none" | "ellipsis" }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "number"; readonly real: bigint | number; readonly imaginary: number }
  | { readonly type: "str" | "bytes"; readonly value: string }
  | { readonly type: "tuple" | "list" | "set"; readonly items: readonly PythonValue[] }
  | { readonly type: "dict"; readonly entries: readonly (readonly [key: PythonValue, value: PythonValue])[] };

/** Python 3.11 refuses longer integers. */
const MAX_INTEGER_DIGITS = 4_300;

/** The value of a text by `ast.literal_eval` of Python 3.11; null if it raises. */
export function readLiteral(text: string): PythonValue | null {
  // In the mode `eval`, unlike in a module, the compiler treats a last line of blanks without a line break as indented.
  if (/\n[ \t\f]*[ \t]$/.test(text)) return null;
  try {
    return evaluate(parseExpression(text.replace(/^[ \t]+/, "")));
  } catch (error) {
    if (error instanceof PythonSyntaxError) return null;
    throw error;
  }
}

function evaluate(node: Expression): PythonValue {
  switch (node.type) {
    case "NameConstant":
      return node.name === "None" ? { type: "none" } : { type: "bool", value: node.name === "True" };
    case "Ellipsis":
      return { type: "ellipsis" };
    case "Str":
    case "Bytes":
      return { type: node.type === "Str" ? "str" : "bytes", value: node.text };
    case "Tuple":
    case "List":
      return { type: node.type === "Tuple" ? "tuple" : "list", items: node.elts.map(evaluate) };
    case "Set":
      return { type: "set", items: node.elts.map((element) => hashable(evaluate(element))) };
    case "Call":
      if (node.func.type === "Name" && node.func.id === "set" && node.args.length + node.keywords.length === 0) {
        return { type: "set", items: [] };
      }
      break;
    case "Dict":
      if (node.keys.includes(null)) break;
      return {
        type: "dict",
        entries: node.keys.map((key, at) => [hashable(evaluate(key!)), evaluate(node.values[at]!)] as const),
      };
    case "BinOp":
      return complexSum(node);
    case "Num":
    case "UnaryOp":
      return signedNumber(node);
  }
  throw new PythonSyntaxError(`${node.type} is no literal.`);
}

type NumberValue = PythonValue & { type: "number" };

/** `1 + 2j`: the only sum that counts as a literal. */
function complexSum(node: Expression & { type: "BinOp" }): NumberValue {
  if (node.op !== "+" && node.op !== "-") throw new PythonSyntaxError("No literal.");
  const left = signedNumber(node.left);
  const right = plainNumber(node.right);
  if (node.right.type !== "Num" || node.right.value.kind !== "imaginary" || isImaginary(node.left)) {
    throw new PythonSyntaxError("No literal.");
  }
  return { ...left, imaginary: node.op === "+" ? right.imaginary : -right.imaginary };
}

function isImaginary(node: Expression): boolean {
  const number = node.type === "UnaryOp" ? node.operand : node;
  return number.type === "Num" && number.value.kind === "imaginary";
}

function signedNumber(node: Expression): NumberValue {
  if (node.type !== "UnaryOp") return plainNumber(node);
  const { real, imaginary } = plainNumber(node.operand);
  if (node.op === "+") return { type: "number", real, imaginary };
  if (node.op !== "-") throw new PythonSyntaxError("No literal.");
  return { type: "number", real: -real, imaginary: -imaginary };
}

function plainNumber(node: Expression): NumberValue {
  if (node.type !== "Num") throw new PythonSyntaxError(`${node.type} is no number.`);
  const { kind, value }: PythonNumber = node.value;
  if (kind === "imaginary") return { type: "number", real: 0, imaginary: value };
  if (kind === "int" && String(value).length > MAX_INTEGER_DIGITS) throw new PythonSyntaxError("Too many digits.");
  return { type: "number", real: value, imaginary: 0 };
}

function hashable(value: PythonValue): PythonValue {
  if (!isHashable(value)) throw new PythonSyntaxError(`A ${value.type} cannot be a key.`);
  return value;
}

export function isHashable(value: PythonValue): boolean {
  if (value.type === "tuple") return value.items.every(isHashable);
  return value.type !== "list" && value.type !== "dict" && value.type !== "set";
}

/** A key that is equal exactly for values that are equal in Python: `1`, `1.0` and `True` have the same key. */
export function keyOf(value: PythonValue): string {
  switch (value.type) {
    case "none":
    case "ellipsis":
      return value.type;
    case "bool":
      return numberKey(value.value ? 1 : 0, 0);
    case "number":
      return numberKey(value.real, value.imaginary);
    case "str":
    case "bytes":
      return `${value.type}${JSON.stringify(value.value)}`;
    case "tuple":
    case "list":
      return `${value.type}(${value.items.map(keyOf).join()})`;
    case "set":
      return `set(${[...new Set(value.items.map(keyOf))].sort().join()})`;
    case "dict": {
      const entries = new Map(value.entries.map(([key, one]) => [keyOf(key), keyOf(one)]));
      return `dict(${[...entries]
        .map(([key, one]) => `${key}:${one}`)
        .sort()
        .join()})`;
    }
  }
}

function numberKey(real: bigint | number, imaginary: number): string {
  const isWhole = typeof real === "number" && Number.isInteger(real);
  const key = String(isWhole ? BigInt(real) : real);
  return imaginary === 0 ? key : `${key}+${imaginary}j`;
}
