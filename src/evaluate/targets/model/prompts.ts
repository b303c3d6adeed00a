import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { assetPath } from "../../../config.js";
import { RecommenderError } from "../../../errors.js";
import { hashOf } from "../../runner/inputs.js";
import type { ExecutedStep, RuntimeVariable, TargetHit } from "../../target.js";

/** Values by placeholder. */
export type PromptValues = Readonly<Record<PlaceholderName, string>>;

const PLACEHOLDERS = [
  "notebook",
  "markdown",
  "comment",
  "code",
  "prefix",
  "suffix",
  "variables",
  "cells",
  "trajectory",
  "task",
] as const;
type PlaceholderName = (typeof PLACEHOLDERS)[number];

const SECTIONS = ["system", "user", "prompt", "suffix", "stop"] as const;
type SectionName = (typeof SECTIONS)[number];

/** The prompt of one task. */
export interface Prompt {
  /** A hash of the prompt file. */
  readonly hash: string;
  /** The messages of the chat API. */
  chat(values: PromptValues): { readonly role: string; readonly content: string }[];
  /** The fields of the completions API. */
  completion(values: PromptValues): { readonly prompt: string; readonly suffix?: string; readonly stop?: string[] };
}

const SHIPPED_FOLDER = "prompts";

/** The prompt `NAME.txt` of a folder, else the shipped one. INPUT_INVALID for a file that is no prompt. */
export function readPrompt(name: string, folder?: string): Prompt {
  if (folder !== undefined && statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw invalid(`There is no folder ${folder}; --prompts takes a folder of prompt files.`);
  const own = folder === undefined ? null : join(folder, `${name}.txt`);
  const file = own !== null && existsSync(own) ? own : join(assetPath(SHIPPED_FOLDER), `${name}.txt`);
  if (!existsSync(file)) throw invalid(`There is no prompt ${name}.txt; write one and name its folder with --prompts.`);
  return parsePrompt(readFileSync(file, "utf8"), file);
}

/** Parses a prompt file. `name` is used in error messages. */
export function parsePrompt(text: string, name: string): Prompt {
  const sections = splitSections(text.replaceAll("\r\n", "\n"), name);
  for (const template of Object.values(sections)) checkPlaceholders(template, name);
  const { system, user, prompt, suffix, stop } = sections;
  if (user === undefined && prompt === undefined)
    throw invalid(`${name} has neither a section "user" nor a section "prompt".`);
  return {
    hash: hashOf(sections),
    chat(values) {
      if (user === undefined) throw invalid(`${name} has no section "user"; the chat API needs one.`);
      return [
        ...(system === undefined ? [] : [{ role: "system", content: fillTemplate(system, values) }]),
        { role: "user", content: fillTemplate(user, values) },
      ];
    },
    completion(values) {
      if (prompt === undefined) throw invalid(`${name} has no section "prompt"; the completions API needs one.`);
      const after = suffix === undefined ? "" : fillTemplate(suffix, values);
      const stops = stop?.split("\n").map((line) => line.replaceAll("\\n", "\n"));
      return {
        prompt: fillTemplate(prompt, values),
        ...(after !== "" && { suffix: after }),
        ...(stops !== undefined && { stop: stops }),
      };
    },
  };
}

function splitSections(text: string, name: string): Partial<Record<SectionName, string>> {
  // The text before the first section is a comment.
  const [, ...parts] = text.split(/^--- *([\w-]+) *---[ \t]*\n/m);
  const sections: Partial<Record<SectionName, string>> = {};
  for (let at = 0; at < parts.length; at += 2) {
    const section = SECTIONS.find((known) => known === parts[at]);
    if (section === undefined)
      throw invalid(`${name} has a section "${parts[at]}"; known sections: ${SECTIONS.join(", ")}.`);
    sections[section] = parts[at + 1]!.replace(/^\n+|\n+$/g, "");
  }
  return sections;
}

const PLACEHOLDER = /\{\{(\w+)\}\}/g;

function checkPlaceholders(template: string, name: string): void {
  for (const [, found] of template.matchAll(PLACEHOLDER)) {
    if (PLACEHOLDERS.some((known) => known === found)) continue;
    throw invalid(`${name} has {{${found}}}; known placeholders: ${PLACEHOLDERS.join(", ")}.`);
  }
}

/** A paragraph whose placeholders are all empty is left out. Placeholders inside values are not filled in. */
function fillTemplate(template: string, values: PromptValues): string {
  const paragraphs = template.split(/\n{2,}/).filter((paragraph) => {
    const names = [...paragraph.matchAll(PLACEHOLDER)].map(([, name]) => name as PlaceholderName);
    return names.length === 0 || names.some((name) => values[name] !== "");
  });
  return paragraphs
    .map((paragraph) => paragraph.replace(PLACEHOLDER, (_, name: PlaceholderName) => values[name]))
    .join("\n\n");
}

/** A cell above, or a retrieved one. */
interface PromptCell {
  readonly type: string;
  readonly source: string;
}

/**
 * Cells in percent format, nearest last. Beyond `maxCharacters`, only the nearest cells that fit; the nearest one is
 * cut at its start if necessary.
 */
export function showNotebook(cells: readonly PromptCell[], maxCharacters: number): string {
  return showLast(cells.map(showCell), maxCharacters);
}

function showLast(texts: readonly string[], maxCharacters: number): string {
  const shown: string[] = [];
  let left = maxCharacters;
  for (const text of texts.toReversed()) {
    if (text.length > left && shown.length > 0) break;
    shown.unshift(text.slice(-left));
    left -= text.length;
  }
  return shown.join("\n\n");
}

function showCell({ type, source }: PromptCell): string {
  if (type === "code") return `# %%\n${source}`;
  return `# %% [markdown]\n${toComment(source)}`;
}

/** Characters of an output or of a variable's value in a prompt. */
const MAX_OUTPUT = 2_000;
const MAX_VALUE = 200;

/** Executed cells with output, time and memory, latest last. Beyond `maxCharacters`, only the latest cells that fit. */
export function showTrajectory(steps: readonly ExecutedStep[], maxCharacters: number): string {
  return showLast(steps.map(showStep), maxCharacters);
}

function showStep({ code, output, execution_time: seconds, memory_bytes: bytes }: ExecutedStep): string {
  const facts = [
    ...(seconds == null ? [] : [`${seconds} s`]),
    ...(bytes == null ? [] : [`memory ${Math.round(bytes / 2 ** 20)} MB`]),
  ];
  const head = facts.length === 0 ? "# %%" : `# %% executed: ${facts.join(", ")}`;
  const shown = output.trim() === "" ? "" : `\n# Output:\n${toComment(output.trimEnd().slice(0, MAX_OUTPUT))}`;
  return `${head}\n${code}${shown}`;
}

/** Name, type, size and value of each variable, one per line. */
export function showVariables(variables: Readonly<Record<string, RuntimeVariable>>): string {
  return Object.entries(variables)
    .map(([name, { type, size, value }]) => {
      const bytes = typeof size === "number" ? `, ${size} bytes` : "";
      const shown = value ? ` = ${value.slice(0, MAX_VALUE).replace(/\s+/g, " ")}` : "";
      return `${name}: ${type}${bytes}${shown}`;
    })
    .join("\n");
}

/** Retrieved cells, best first, with the user's variable names if the recommender adapts them. */
export function showHits(hits: readonly TargetHit[]): string {
  return hits.map(({ code, adapted = code }) => `# %%\n${adapted}`).join("\n\n");
}

export function toComment(text: string): string {
  return text.replace(/^/gm, "# ");
}

const invalid = (message: string): RecommenderError => new RecommenderError("INPUT_INVALID", message);
