import type { Mutator } from "../src/evaluate/suite.js";
import { type Edit, rewriteTree, type SyntaxNode } from "./syntax/edits.js";
import { findVariables, type Variable } from "./syntax/scopes.js";

const keywordArguments: Mutator = {
  name: "keyword-arguments",
  description: "Names the positional arguments of calls to functions and classes that the cell defines.",
  kind: "preserving",
  apply: (code) =>
    rewriteTree(code, ({ root }) =>
      findVariables(root).flatMap((variable) => {
        const parameters = parametersOf(variable);
        return parameters === null ? [] : variable.uses.flatMap(({ node }) => nameArguments(node, parameters));
      }),
    ),
};

export default keywordArguments;

/** The names of a function's positional parameters, if the cell binds the function's name exactly once. */
function parametersOf({ scope, uses: [first, ...others] }: Variable): string[] | null {
  if (scope?.kind !== "cell" || first!.role !== "definition" || others.some(({ role }) => role !== "read")) return null;
  const definition = first!.node.parent!;
  if (definition.parent?.type !== "module") return null;
  if (definition.type === "function_definition") return positional(definition);
  if (definition.childForFieldName("superclasses") !== null) return null;
  const methods = definition.childForFieldName("body")!.namedChildren;
  const makers = methods.filter((method) => /^__(?:new|init)__$/.test(method.childForFieldName("name")?.text ?? ""));
  if (makers.length !== 1 || makers[0]!.childForFieldName("name")!.text === "__new__") return null;
  return positional(makers[0]!)?.slice(1) ?? null;
}

function positional(definition: SyntaxNode): string[] | null {
  const names: string[] = [];
  for (const parameter of definition.childForFieldName("parameters")!.namedChildren) {
    if (parameter.type === "positional_separator") return null;
    if (/splat|separator/.test(parameter.type) || /splat/.test(parameter.firstNamedChild?.type ?? "")) break;
    if (parameter.type === "comment") continue;
    names.push((parameter.childForFieldName("name") ?? parameter.firstNamedChild ?? parameter).text);
  }
  // Names that start with two underscores are skipped, because Python renames them inside a class.
  return names.some((name) => name.startsWith("__")) ? null : names;
}

function nameArguments(callee: SyntaxNode, parameters: readonly string[]): Edit[] {
  const call = callee.parent!;
  const list = call.childForFieldName("arguments");
  if (call.type !== "call" || !call.childForFieldName("function")?.equals(callee)) return [];
  if (list?.type !== "argument_list") return [];
  const given = list.namedChildren.filter(({ type }) => type !== "comment");
  const unnamed = given.filter(({ type }) => type !== "keyword_argument");
  if (unnamed.length > parameters.length || given.some(({ type }) => /splat|named_expression/.test(type))) return [];
  return unnamed.map(({ startIndex }, at) => ({ start: startIndex, end: startIndex, text: `${parameters[at]}=` }));
}
