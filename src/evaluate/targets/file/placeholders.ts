import type { ExchangeRequest } from "./exchange.js";
import type { HttpStep } from "./target-schema.js";

/** Values of placeholders, by their full names: `code`, `context.markdown`, `env.TOKEN`, `saved.id`. */
export type Values = ReadonlyMap<string, unknown>;

const PLACEHOLDER = /\{\{(.*?)\}\}/gs;
const WHOLE = /^\{\{((?:(?!\}\}).)*)\}\}$/s;

/** The names of the placeholders in a text. */
export function placeholdersIn(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, name]) => name!.trim());
}

/** Whether the text is one placeholder and nothing else. */
export function isWhole(text: string): boolean {
  return WHOLE.test(text);
}

/** `code` of `code_json`; null for a name without the ending. */
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
    const [, name] = WHOLE.exec(template) ?? [];
    return name === undefined ? renderText(template, values) : lookUp(name.trim(), values);
  }
  if (Array.isArray(template)) return template.map((item) => renderJson(item, values));
  if (typeof template !== "object" || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, renderJson(value, values)]));
}

/** A URL or a part of one; values are percent-encoded, unless one value is all there is. */
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

/** A form says its content type itself, because that holds the boundary between its parts. */
function renderBody({ json, text, form }: HttpStep, values: Values): { type?: string; body?: Body } {
  if (json !== undefined) return { type: "application/json", body: JSON.stringify(renderJson(json, values)) };
  if (text !== undefined) return { type: "text/plain; charset=utf-8", body: renderText(text, values) };
  return form === undefined ? {} : { body: renderForm(form, values) };
}

/** As a browser sends it: multipart only where a file is in it. */
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

/** A path that is one saved value can be a whole URL. */
function joinUrl(base: string, path: string): string {
  return path.startsWith("/") ? `${base.replace(/\/+$/, "")}${path}` : path;
}
