type Json = Readonly<Record<string, unknown>>;

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly { name: string; in: string; required: boolean; description?: string; schema: Json }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Json; example?: unknown }>> };
  readonly responses: Readonly<Record<string, { description: string; content?: Record<string, { schema: Json }> }>>;
}

/** The API document as a page. It is complete without scripts; its own script adds buttons to copy and to try a call. */
export function renderDocs(document: Json): string {
  const { info, paths } = document as unknown as {
    info: { title: string; version: string; description: string };
    paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const tags = [...new Set(calls.flatMap(({ operation }) => operation.tags))];
  const groups = tags.map((tag) => {
    const links = calls
      .filter(({ operation }) => operation.tags.includes(tag))
      .map(
        ({ path, method, operation }) =>
          `<li><a href="#${operation.operationId}"><span class="method ${method}">${method}</span> <span>${breakable(path)}</span></a></li>`,
      );
    return `<h2>${tag}</h2><ul>${links.join("\n")}</ul>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<title>celrec API</title>
<link rel="icon" href="data:," />
<link rel="stylesheet" href="style.css" />
<script type="module" src="docs.js"></script>
</head>
<body class="docs">
<header class="top">
<p class="brand"><a href="./#write">cel<span>rec</span></a></p>
<nav aria-label="Views"><a href="./#write">Write</a> <a href="./#browse">Browse</a> <a href="./#evaluation">Evaluation</a> <a href="./#feedback">Feedback</a> <a href="docs" aria-current="page">API</a></nav>
</header>
<nav class="calls" aria-label="Calls">${groups.join("\n")}</nav>
<main>
<h1>${escapeHtml(info.title)} ${escapeHtml(info.version)}</h1>
${renderParagraphs(info.description)}
<p>Machine-readable: <a href="openapi.json"><code>openapi.json</code></a> (OpenAPI 3.1).</p>
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
      `<tr><td><code>${name}</code></td><td>${place}${required ? ", required" : ""}</td><td>${escapeHtml(typeOf(schema))}</td><td>${renderCodeSpans(about)}</td></tr>`,
  );
  const bodies = Object.entries(requestBody?.content ?? {}).map(
    ([type, { schema, example }]) =>
      `<h3>Body: <code>${type}</code></h3>${renderSchema(schema)}${
        example === undefined ? "" : `<p>Example:</p><pre>${escapeHtml(JSON.stringify(example, null, 2))}</pre>`
      }`,
  );
  const [[type = "", { example = undefined } = {}] = []] = Object.entries(requestBody?.content ?? {});
  const body = example === undefined ? undefined : JSON.stringify(example);
  const names = parameters.map(({ name }) => name).join(" ");
  const answers = Object.entries(responses).map(([status, answer]) => {
    const [schema] = Object.values(answer.content ?? {}).map((each) => each.schema);
    const isError = Number(status) >= 400 && schema?.$ref !== undefined;
    return `<dt><code>${status}</code> ${renderCodeSpans(answer.description)}</dt><dd>${schema === undefined || isError ? "" : renderSchema(schema)}</dd>`;
  });
  return `<section id="${operationId}" aria-labelledby="${operationId}-title">
<h2 id="${operationId}-title"><span class="method ${method}">${method}</span> <code>${breakable(path)}</code></h2>
<p>${renderCodeSpans(summary)}. ${renderCodeSpans(description)}</p>
<pre class="curl" data-method="${method}" data-path="${escapeHtml(path)}" data-names="${names}" data-type="${type}" data-body="${escapeHtml(body ?? "")}">${escapeHtml(curlCommand(method, path, type, body))}</pre>
${fields.length === 0 ? "" : renderTable(["parameter", "where", "type", "meaning"], fields)}
${bodies.join("\n")}
<h3>Answers</h3>
<dl>${answers.join("\n")}</dl>
</section>`;
}

/** The call as a curl command with the default address. */
function curlCommand(method: string, path: string, type: string, body: string | undefined): string {
  const parts = [
    `curl -s${method === "get" ? "" : ` -X ${method.toUpperCase()}`} 'http://127.0.0.1:8787${path}'`,
    ...(body === undefined ? [] : [`-H 'content-type: ${type}'`, `-d '${body.replaceAll("'", "'\\''")}'`]),
  ];
  return parts.join(" \\\n  ");
}

function renderTable(heads: readonly string[], rows: readonly string[]): string {
  const head = heads.map((name) => `<th>${name}</th>`).join("");
  return `<div class="tables"><table><thead><tr>${head}</tr></thead><tbody>${rows.join("\n")}</tbody></table></div>`;
}

/** A path with allowed line breaks after slashes. */
const breakable = (path: string): string => escapeHtml(path).replaceAll("/", "/<wbr>");

/** The fields of an object, or of each object of a choice. */
function renderSchema(schema: Json): string {
  const choices = schema.anyOf as readonly Json[] | undefined;
  if (choices !== undefined) return choices.map(renderSchema).join("<p>or</p>");
  const { properties, required = [] } = schema as { properties?: Record<string, Json>; required?: string[] };
  if (properties === undefined)
    return `<p>${escapeHtml(typeOf(schema))} ${renderCodeSpans(String(schema.description ?? ""))}</p>`;
  const rows = Object.entries(properties).map(
    ([name, field]) =>
      `<tr><td><code>${escapeHtml(name)}</code>${required.includes(name) ? " *" : ""}</td><td>${escapeHtml(typeOf(field))}</td><td>${renderCodeSpans(String(field.description ?? ""))}${renderNested(field)}</td></tr>`,
  );
  return renderTable(["field", "type", "meaning"], rows);
}

function renderNested(field: Json): string {
  const inner = (field.items ?? field) as Json;
  return inner.properties === undefined ? "" : `<details><summary>fields</summary>${renderSchema(inner)}</details>`;
}

function typeOf(schema: Json): string {
  const { type, items, minimum, maximum, maxLength, maxItems, default: fallback } = schema;
  const choices = (schema.anyOf as readonly Json[] | undefined)?.map(typeOf).join(" or ");
  const values = (schema.enum as readonly unknown[] | undefined)?.join(" | ");
  const notes = [
    minimum !== undefined && maximum !== undefined && `${minimum} to ${maximum}`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    maxItems !== undefined && `at most ${maxItems}`,
    fallback !== undefined && `default ${JSON.stringify(fallback)}`,
  ].filter((note) => note !== false);
  const name =
    values ?? choices ?? (type === "array" ? `list of ${typeOf((items ?? {}) as Json)}` : String(type ?? "any"));
  return notes.length === 0 ? name : `${name} (${notes.join(", ")})`;
}

function renderParagraphs(text: string): string {
  return text
    .split("\n\n")
    .map((part) => `<p>${renderCodeSpans(part)}</p>`)
    .join("\n");
}

/** Converts `code` in backticks to HTML. */
function renderCodeSpans(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
