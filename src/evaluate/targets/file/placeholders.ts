import { extractCells } from "../../../notebook/extract.js";
import type { NamedNotebook, NotebookCell, NotebookFile } from "../../../notebook/notebook.js";
import type { CursorQuery, TargetQuery } from "../../target.js";
import type { ExchangeRequest } from "./exchange.js";
import type { HttpStep } from "./target-schema.js";

/** Values of placeholders, by their full names: `code`, `context.markdown`, `env.TOKEN`, `saved.id`. */
export type Values = ReadonlyMap<string, unknown>;

const PLACEHOLDER = /\{\{(.*?)\}\}/gs;
const WHOLE_PLACEHOLDER = /^\{\{((?:(?!\}\}).)*)\}\}$/s;

/** The names of the placeholders in a text. */
export function placeholdersIn(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, name]) => name!.trim());
}

/** Whether the text is one placeholder and nothing else. */
function isWhole(text: string): boolean {
  return WHOLE_PLACEHOLDER.test(text);
}

/** The name without the ending `_json`; null for a name without this ending. */
export function withoutJson(name: string): string | null {
  return name.endsWith("_json") ? name.slice(0, -"_json".length) : null;
}

/** Fills in placeholders once: placeholders inside values stay as they are. */
export function renderText(template: string, values: Values): string {
  return template.replaceAll(PLACEHOLDER, (_, name: string) => toText(lookUp(name.trim(), values)));
}

/** JSON with its placeholders filled in; a string that is one placeholder becomes its value, be it a number or a list. */
export function renderJson(template: unknown, values: Values): unknown {
  if (typeof template === "string") {
    const [, name] = WHOLE_PLACEHOLDER.exec(template) ?? [];
    return name === undefined ? renderText(template, values) : lookUp(name.trim(), values);
  }
  if (Array.isArray(template)) return template.map((item) => renderJson(item, values));
  if (typeof template !== "object" || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, renderJson(value, values)]));
}

/** A URL or a part of one; values are percent-encoded, unless the whole text is one value. */
export function renderUrl(template: string, values: Values): string {
  if (isWhole(template)) return renderText(template, values);
  const encode = (_: string, name: string) => encodeURIComponent(toText(lookUp(name.trim(), values)).toWellFormed());
  return template.replaceAll(PLACEHOLDER, encode);
}

function lookUp(name: string, values: Values): unknown {
  const base = withoutJson(name);
  if (values.has(name) || base === null) return values.get(name);
  return JSON.stringify(values.get(base));
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

type Body = NonNullable<ExchangeRequest["body"]>;

/** An HTTP step with its placeholders filled in. */
export function renderRequest(
  step: HttpStep,
  values: Values,
  base: string,
): Pick<ExchangeRequest, "method" | "url" | "headers" | "body"> {
  const { type, body } = renderBody(step, values);
  const own = Object.entries(step.headers ?? {}).map(([name, text]) => [name.toLowerCase(), renderText(text, values)]);
  return {
    method: step.method,
    url: step.url === undefined ? joinUrl(base, renderUrl(step.path!, values)) : renderUrl(step.url, values),
    headers: { ...(type !== undefined && { "content-type": type }), ...Object.fromEntries(own) },
    ...(body !== undefined && { body }),
  };
}

/** fetch sets the content type of a form, because it contains the boundary. */
function renderBody({ json, text, form }: HttpStep, values: Values): { type?: string; body?: Body } {
  if (json !== undefined) return { type: "application/json", body: JSON.stringify(renderJson(json, values)) };
  if (text !== undefined) return { type: "text/plain; charset=utf-8", body: renderText(text, values) };
  return form === undefined ? {} : { body: renderForm(form, values) };
}

/** Renders a form as a browser sends it: multipart only if it contains a file. */
function renderForm(form: NonNullable<HttpStep["form"]>, values: Values): FormData | URLSearchParams {
  const files = new FormData();
  const texts = new URLSearchParams();
  let hasFile = false;
  for (const [name, part] of Object.entries(form)) {
    if (typeof part === "string") {
      files.append(name, renderText(part, values));
      texts.append(name, renderText(part, values));
    } else {
      hasFile = true;
      files.append(name, toBlob(part, values), renderText(part.filename, values));
    }
  }
  return hasFile ? files : texts;
}

function toBlob({ content, type }: { content: unknown; type: string }, values: Values): Blob {
  const value = renderJson(content, values);
  return new Blob([typeof value === "string" ? value : JSON.stringify(value)], { type });
}

/** A path that consists of one saved value may be a complete URL. */
function joinUrl(base: string, path: string): string {
  return path.startsWith("/") ? `${base.replace(/\/+$/, "")}${path}` : path;
}

/** The content of one round of upload steps. */
type UploadUnit = "notebook" | "cell" | "batch";

/** The placeholders that a list of steps can use beside `port`, `env.NAME` and `saved.NAME`. */
export const PLACEHOLDERS = {
  notebook: ["number", "name", "notebook"],
  cell: ["number", "name", "index", "code"],
  batch: ["number", "notebooks", "cells", "codes"],
  query: [
    "number",
    "name",
    "index",
    "notebook",
    "code",
    "k",
    "context.before",
    "context.markdown",
    "context.variables",
    "context.trajectory",
    "context.task",
  ],
  cursor: ["number", "prefix", "suffix", "k", "context.before", "context.markdown"],
} as const satisfies Record<UploadUnit | "query" | "cursor", readonly string[]>;

type Filled<Kind extends keyof typeof PLACEHOLDERS> = Record<(typeof PLACEHOLDERS)[Kind][number], unknown>;

/** The placeholder values of each round of upload steps; `first` is the number of the first round. */
export function uploadRounds(
  each: UploadUnit,
  notebooks: readonly NamedNotebook[],
  first: number,
): Readonly<Record<string, unknown>>[] {
  const rounds = { notebook: notebookRounds, cell: cellRounds, batch: batchRounds } satisfies Record<
    UploadUnit,
    unknown
  >;
  return rounds[each](notebooks).map((round, at) => ({ ...round, number: first + at }));
}

export function queryValues(query: TargetQuery, number: number): Filled<"query"> {
  const cells = toQueryCells(query);
  return {
    number,
    name: `query-${number}.ipynb`,
    index: cells.length - 1,
    notebook: toIpynb({ cells }),
    code: query.code,
    k: query.k,
    "context.before": query.context?.before ?? [],
    "context.markdown": query.context?.markdown ?? "",
    "context.variables": query.context?.variables ?? {},
    "context.trajectory": query.trajectory?.steps ?? [],
    "context.task": query.trajectory?.task ?? "",
  };
}

export function cursorValues({ prefix, suffix = "", k, context }: CursorQuery, number: number): Filled<"cursor"> {
  return { number, prefix, suffix, k, "context.before": context.before, "context.markdown": context.markdown };
}

function notebookRounds(notebooks: readonly NamedNotebook[]): Omit<Filled<"notebook">, "number">[] {
  return notebooks.map(({ name, notebook }) => ({ name, notebook: toIpynb(notebook) }));
}

function cellRounds(notebooks: readonly NamedNotebook[]): Omit<Filled<"cell">, "number">[] {
  return notebooks.flatMap(({ name, notebook }) =>
    extractCells(notebook).map(({ cellIndex, code }) => ({ name, index: cellIndex, code })),
  );
}

function batchRounds(notebooks: readonly NamedNotebook[]): Omit<Filled<"batch">, "number">[] {
  const cells = cellRounds(notebooks);
  return [{ notebooks: notebookRounds(notebooks), cells, codes: cells.map(({ code }) => code) }];
}

/** A notebook as Jupyter writes it: nbformat 4.4, sources as lists of lines. */
export function toIpynb({ cells }: Pick<NotebookFile, "cells">): object {
  return {
    cells: cells.map(toCell),
    metadata: {
      kernelspec: { display_name: "Python 3", language: "python", name: "python3" },
      language_info: { name: "python" },
    },
    nbformat: 4,
    nbformat_minor: 4,
  };
}

/** The user's notebook: the cells above, their Markdown, and the typed cell at the end. */
function toQueryCells({ code, context }: TargetQuery): NotebookCell[] {
  const above = (context?.before ?? []).map((source) => ({ type: "code" as const, source }));
  const markdown = context?.markdown ? [{ type: "markdown" as const, source: context.markdown }] : [];
  return [...above, ...markdown, { type: "code" as const, source: code }].map((cell, index) => ({ ...cell, index }));
}

function toCell({ type, source }: NotebookCell): object {
  const lines = source.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  if (type === "code") return { cell_type: "code", execution_count: null, metadata: {}, outputs: [], source: lines };
  return { cell_type: type === "markdown" ? "markdown" : "raw", metadata: {}, source: lines };
}
