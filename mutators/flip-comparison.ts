import type { Mutator } from "../src/evaluate/suite.js";
import { rewriteTokens } from "./syntax/edits.js";

const FLIPPED: Readonly<Record<string, string>> = {
  "<": ">",
  ">": "<",
  "<=": ">=",
  ">=": "<=",
  "==": "!=",
  "!=": "==",
};

const flipComparison: Mutator = {
  name: "flip-comparison",
  description: "Inverts every comparison: < becomes >, and == becomes !=.",
  kind: "hard-negative",
  apply: (code) => rewriteTokens(code, ({ kind, text }) => (kind === "operator" ? (FLIPPED[text] ?? null) : null)),
};

export default flipComparison;
