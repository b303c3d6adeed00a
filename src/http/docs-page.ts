type Json = Readonly<Record<string, unknown>>;

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly { name: string; in: string; required: boolean; description?: string; schema: Json }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Json; example?: unknown }>> };
  readonly responses: Readonly<Record<string, { description: string; content?: Record<string, { schema: Json }> }>>;
}

/** The API document as a page without scripts or external files. */
export function renderDocs(document: Json): string {
  const { info, paths } = document as unknown as {
    info: { title: string; version: string; description: string };
    paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const links = calls.map(
    ({ path, method, operation }) =>
      `<li><a href="#${operation.operationId}"><code>${method.toUpperCase()} ${escapeHtml(path)}</code></a> ${escapeHtml(operation.summary)}</li>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<title>celrec API</title>
<link rel="icon" href="data:," />
<link rel="stylesheet" href="style.css" />
</head>
<body class="docs">
<main>
<h1>${escapeHtml(info.title)} ${escapeHtml(info.version)}</h1>
${paragraphs(info.description)}
<p>Machine-readable: <a href="openapi.json"><code>openapi.json</code></a> (OpenAPI 3.1). Try it on the <a href="./">playground</a>.</p>
<nav aria-label="Calls"><ul>${links.join("\n")}</ul></nav>
${calls.map(({ path, method, operation }) => renderOperation(path, method, operation)).join("\n")}
</main>
</body>
</html>
`;
}

function renderOperation(path: string, method: string, operation: Operation): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const fields = parameters.map(
    ({ name, in: place, required, description: about = "", schema }) =>
      `<tr><td><code>${name}</code></td><td>${place}${required ? ", required" : ""}</td><td>${escapeHtml(typeOf(schema))}</td><td>${code(about)}</td></tr>`,
  );
  const bodies = Object.entries(requestBody?.content ?? {}).map(
    ([type, { schema, example }]) =>
      `<h3>Body: <code>${type}</code></h3>${renderSchema(schema)}${
        example === undefined
          ? ""
          : `<p>Example:</p><pre tabindex="0">${escapeHtml(JSON.stringify(example, null, 2))}</pre>`
      }`,
  );
  const answers = Object.entries(responses).map(([status, answer]) => {
    const [schema] = Object.values(answer.content ?? {}).map((each) => each.schema);
    const isError = Number(status) >= 400 && schema?.$ref !== undefined;
    return `<dt><code>${status}</code> ${code(answer.description)}</dt><dd>${schema === undefined || isError ? "" : renderSchema(schema)}</dd>`;
  });
  return `<section id="${operationId}" aria-labelledby="${operationId}-title">
<h2 id="${operationId}-title"><code>${method.toUpperCase()} ${escapeHtml(path)}</code></h2>
<p>${code(summary)}. ${code(description)}</p>
${fields.length === 0 ? "" : `<table><tr><th>parameter</th><th>where</th><th>type</th><th>meaning</th></tr>${fields.join("\n")}</table>`}
${bodies.join("\n")}
<h3>Answers</h3>
<dl>${answers.join("\n")}</dl>
</section>`;
}

/** The fields of an object, or of each object of a choice. */
function renderSchema(schema: Json): string {
  const choices = schema.anyOf as readonly Json[] | undefined;
  if (choices !== undefined) return choices.map(renderSchema).join("<p>or</p>");
  const { properties, required = [] } = schema as { properties?: Record<string, Json>; required?: string[] };
  if (properties === undefined) return `<p>${escapeHtml(typeOf(schema))} ${code(String(schema.description ?? ""))}</p>`;
  const rows = Object.entries(properties).map(
    ([name, field]) =>
      `<tr><td><code>${escapeHtml(name)}</code>${required.includes(name) ? " *" : ""}</td><td>${escapeHtml(typeOf(field))}</td><td>${code(String(field.description ?? ""))}${nested(field)}</td></tr>`,
  );
  return `<table><tr><th>field</th><th>type</th><th>meaning</th></tr>${rows.join("\n")}</table>`;
}

function nested(field: Json): string {
  const inner = (field.items ?? field) as Json;
  return inner.properties === undefined ? "" : `<details><summary>fields</summary>${renderSchema(inner)}</details>`;
}

function typeOf(schema: Json): string {
  const { type, items, minimum, maximum, maxLength, maxItems, default: usual } = schema;
  const choices = (schema.anyOf as readonly Json[] | undefined)?.map(typeOf).join(" or ");
  const values = (schema.enum as readonly unknown[] | undefined)?.join(" | ");
  const notes = [
    minimum !== undefined && maximum !== undefined && `${minimum} to ${maximum}`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    maxItems !== undefined && `at most ${maxItems}`,
    usual !== undefined && `default ${JSON.stringify(usual)}`,
  ].filter((note) => note !== false);
  const name =
    values ?? choices ?? (type === "array" ? `list of ${typeOf((items ?? {}) as Json)}` : String(type ?? "any"));
  return notes.length === 0 ? name : `${name} (${notes.join(", ")})`;
}

function paragraphs(text: string): string {
  return text
    .split("\n\n")
    .map((part) => `<p>${code(part)}</p>`)
    .join("\n");
}

/** Text with `code` marked as such. */
function code(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
