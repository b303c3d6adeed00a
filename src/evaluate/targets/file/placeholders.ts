/** What placeholders stand for, by their full names: `code`, `context.markdown`, `env.TOKEN`, `saved.id`. */
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

/** Text with its placeholders filled in, once: what stands in a value is never looked at. */
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
