/**
 * The syntax trees of Python 3.7's module `ast`, with the same names, so the published programs that use them can be
 * followed step by step. Only `outer` is mutable: the precedence that the parent requires when printing.
 */
export type Expression = ExpressionShape & { outer?: number };

type ExpressionShape =
  | { readonly type: "BoolOp"; readonly op: string; readonly values: readonly Expression[] }
  | { readonly type: "BinOp"; readonly left: Expression; readonly op: string; readonly right: Expression }
  | { readonly type: "UnaryOp"; readonly op: string; readonly operand: Expression }
  | { readonly type: "Lambda"; readonly args: Parameters; readonly body: Expression }
  | { readonly type: "IfExp"; readonly test: Expression; readonly body: Expression; readonly orelse: Expression }
  | { readonly type: "Dict"; readonly keys: readonly (Expression | null)[]; readonly values: readonly Expression[] }
  | { readonly type: "Set" | "List" | "Tuple"; readonly elts: readonly Expression[] }
  | {
      readonly type: "ListComp" | "SetComp" | "GeneratorExp";
      readonly elt: Expression;
      readonly generators: readonly Generator[];
    }
  | {
      readonly type: "DictComp";
      readonly key: Expression;
      readonly value: Expression;
      readonly generators: readonly Generator[];
    }
  | { readonly type: "Await" | "YieldFrom" | "Starred"; readonly value: Expression }
  | { readonly type: "Yield"; readonly value: Expression | null }
  | {
      readonly type: "Compare";
      readonly left: Expression;
      readonly ops: readonly string[];
      readonly comparators: readonly Expression[];
    }
  | {
      readonly type: "Call";
      readonly func: Expression;
      readonly args: readonly Expression[];
      readonly keywords: readonly Keyword[];
    }
  | { readonly type: "Num"; readonly value: PythonNumber }
  | { readonly type: "Str" | "Bytes"; readonly text: string }
  | { readonly type: "JoinedStr"; readonly values: readonly Expression[] }
  | {
      readonly type: "FormattedValue";
      readonly value: Expression;
      readonly conversion: string | null;
      readonly spec: Expression | null;
    }
  | { readonly type: "NameConstant"; readonly name: "None" | "True" | "False" }
  | { readonly type: "Ellipsis" }
  | { readonly type: "Attribute"; readonly value: Expression; readonly attr: string }
  | { readonly type: "Subscript"; readonly value: Expression; readonly slice: Expression }
  | { readonly type: "Name"; readonly id: string }
  | { readonly type: "Index"; readonly value: Expression }
  | {
      readonly type: "Slice";
      readonly lower: Expression | null;
      readonly upper: Expression | null;
      readonly step: Expression | null;
    }
  | { readonly type: "ExtSlice"; readonly dims: readonly Expression[] };

export type PythonNumber =
  | { readonly kind: "int"; readonly value: bigint }
  | { readonly kind: "float" | "imaginary"; readonly value: number };

/** `name=value`, or `**value` without a name. */
export interface Keyword {
  readonly name: string | null;
  readonly value: Expression;
}

export interface Generator {
  readonly target: Expression;
  readonly iter: Expression;
  readonly ifs: readonly Expression[];
  readonly isAsync: boolean;
}

export interface Parameter {
  readonly name: string;
  readonly annotation: Expression | null;
}

export interface Parameters {
  readonly args: readonly Parameter[];
  /** Defaults of the last parameters. */
  readonly defaults: readonly Expression[];
  readonly vararg: Parameter | null;
  readonly kwonly: readonly Parameter[];
  readonly kwDefaults: readonly (Expression | null)[];
  readonly kwarg: Parameter | null;
}

export interface Alias {
  readonly name: string;
  readonly asname: string | null;
}

export interface Handler {
  readonly type: Expression | null;
  readonly name: string | null;
  readonly body: readonly Statement[];
}

interface Definition {
  readonly name: string;
  readonly decorators: readonly Expression[];
  readonly body: readonly Statement[];
}

type Body = readonly Statement[];

export type Statement =
  | (Definition & {
      readonly type: "FunctionDef" | "AsyncFunctionDef";
      readonly args: Parameters;
      readonly returns: Expression | null;
    })
  | (Definition & {
      readonly type: "ClassDef";
      readonly bases: readonly Expression[];
      readonly keywords: readonly Keyword[];
    })
  | { readonly type: "Return"; readonly value: Expression | null }
  | { readonly type: "Delete"; readonly targets: readonly Expression[] }
  | { readonly type: "Assign"; readonly targets: readonly Expression[]; readonly value: Expression }
  | { readonly type: "AugAssign"; readonly target: Expression; readonly op: string; readonly value: Expression }
  | {
      readonly type: "AnnAssign";
      readonly target: Expression;
      readonly annotation: Expression;
      readonly value: Expression | null;
      /** A bare name without parentheses. */
      readonly isSimple: boolean;
    }
  | {
      readonly type: "For" | "AsyncFor";
      readonly target: Expression;
      readonly iter: Expression;
      readonly body: Body;
      readonly orelse: Body;
    }
  | { readonly type: "While" | "If"; readonly test: Expression; readonly body: Body; readonly orelse: Body }
  | {
      readonly type: "With" | "AsyncWith";
      readonly items: readonly { readonly context: Expression; readonly vars: Expression | null }[];
      readonly body: Body;
    }
  | { readonly type: "Raise"; readonly exc: Expression | null; readonly cause: Expression | null }
  | {
      readonly type: "Try";
      readonly body: Body;
      readonly handlers: readonly Handler[];
      readonly orelse: Body;
      readonly finalbody: Body;
    }
  | { readonly type: "Assert"; readonly test: Expression; readonly msg: Expression | null }
  | { readonly type: "Import"; readonly names: readonly Alias[] }
  | {
      readonly type: "ImportFrom";
      readonly module: string | null;
      readonly names: readonly Alias[];
      readonly level: number;
    }
  | { readonly type: "Global" | "Nonlocal"; readonly names: readonly string[] }
  | { readonly type: "Expr"; readonly value: Expression }
  | { readonly type: "Pass" | "Break" | "Continue" };

/** Text that Python 3.7 does not accept. */
export class PythonSyntaxError extends Error {}
