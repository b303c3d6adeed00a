import type { ParsedNotebook } from "./notebook.js";
import { isMarimoScript, parseMarimo } from "./parse-marimo.js";
import { isPercentScript, parsePercent } from "./parse-percent.js";

/** Whether a Python script is a notebook, in percent or marimo form. */
export function isNotebookScript(text: string): boolean {
  return isMarimoScript(text) || isPercentScript(text);
}

/** Reads a Python script that is a notebook, or says why it is none. Never throws on content. */
export function parseScript(text: string): ParsedNotebook {
  const plain = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const script = plain.includes("\r") ? plain.replace(/\r\n?/g, "\n") : plain;
  if (isMarimoScript(script)) return parseMarimo(script);
  if (isPercentScript(script)) return parsePercent(script);
  const reason = "a script without cells: no line `# %%` starts one, and there is no `app = marimo.App(`";
  return { rejected: { kind: "plain-script", reason } };
}
