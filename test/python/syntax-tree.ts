import type { Node } from "web-tree-sitter";
import { withTree } from "../../src/python/grammar.js";

/** The comments and the outermost string literals that the parser sees; comments inside strings are not counted. */
export function commentsAndStrings(code: string): { comments: string[]; strings: string[] } | null {
  return withTree(code, (root) => {
    const comments: string[] = [];
    const strings: string[] = [];
    const visit = (node: Node): void => {
      if (node.type === "comment") comments.push(`${node.startIndex}: ${node.text}`);
      // Python 2's backquotes are an operator, which this grammar does not know.
      else if (node.type === "string" && !node.text.startsWith("`")) strings.push(`${node.startIndex}: ${node.text}`);
      else for (const child of node.children) if (child !== null) visit(child);
    };
    visit(root);
    return { comments, strings };
  });
}
