import type { ExchangeRequest } from "./exchange.js";
import { renderJson, renderText, renderUrl, type Values } from "./placeholders.js";
import type { HttpStep } from "./step.js";

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
