import { z } from "zod";
import { LIMITS } from "../ask/limits.js";
import { createToJsonSchema, type ToJsonSchema } from "../ask/parse-input.js";
import type { ErrorCode } from "../errors.js";
import { STATUS, TITLE } from "./error-handler.js";
import type { Route } from "./route.js";

type Json = Record<string, unknown>;

const DESCRIPTION = `celrec recommends notebook code cells and completes code while you type.

All bodies are JSON; errors are \`application/problem+json\` (RFC 9457). A body has at most ${LIMITS.bodyBytes / 2 ** 20} MB where
notebooks are uploaded or labelled, and ${LIMITS.requestBytes / 2 ** 20} MB elsewhere. A notebook has at most
${LIMITS.cells.toLocaleString("en")} cells, and the code of a request at most ${LIMITS.codeBytes / 1024} KB.

A client that disconnects cancels its request. At most ${LIMITS.changes.requests} uploads and deletions of together
${LIMITS.changes.bytes / 2 ** 20} MB run at the same time. An overloaded service answers 503 with \`Retry-After\` at once. Headers may have 16 KB
and take 10 seconds, a whole request 60 seconds.

If tokens are required, send \`Authorization: Bearer TOKEN\`; each call lists the scope that it needs.`;

const TAGS: Readonly<Record<Route["tag"], string>> = {
  Asking: "Calls for editors while a user types.",
  Agents: "Calls for language-model agents (Model Context Protocol).",
  Notebooks: "The indexed notebooks.",
  Index: "The index: cells, sources, labels and counts.",
  Operations: "For operators of the service.",
};

const problem = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe("What happened, and what to do."),
    requestId: z.string().describe("The `x-request-id` of the answer; the log has it, too."),
    errors: z
      .array(z.strictObject({ pointer: z.string().describe("A JSON pointer."), message: z.string() }))
      .optional()
      .describe("All problems of the input."),
  })
  .describe("An error (RFC 9457).");

/** The errors of any call. */
const COMMON_ERRORS: readonly ErrorCode[] = ["INPUT_INVALID", "FORBIDDEN", "TOO_MANY", "OVERLOADED"];
const BODY_ERRORS: readonly ErrorCode[] = ["TOO_LARGE", "MEDIA_TYPE"];

interface ApiOptions {
  readonly version: string;
  /** The configured label set. */
  readonly labels: readonly string[];
}

/** The OpenAPI 3.1 document, derived from the routes and the schemas of requests and answers. */
export function createApiDocument(routes: readonly Route[], { version, labels }: ApiOptions): Json {
  const toJson = createToJsonSchema(labels);
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    paths[route.path] ??= {};
    paths[route.path]![route.method] = describeOperation(route, toJson);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "celrec",
      version,
      description: DESCRIPTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "This service, unless a proxy adds a path." }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    security: [{ token: [] }, {}],
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer", description: "Only if tokens are configured." } },
      schemas: { Problem: toJson(problem, "output") },
    },
  };
}

function describeOperation(route: Route, toJson: ToJsonSchema): Json {
  const { name, tag, summary, description, scope, body, example } = route;
  const needs = scope === "none" ? "Needs no token." : `Needs the scope \`${scope}\` if tokens are configured.`;
  return {
    operationId: name,
    tags: [tag],
    summary,
    description: description === undefined ? needs : `${description} ${needs}`,
    ...(scope === "none" && { security: [{}] }),
    parameters: [
      ...describeParameters(toJson(route.params, "input"), "path"),
      ...describeParameters(toJson(route.query, "input"), "query"),
    ],
    ...(body !== null && {
      requestBody: {
        required: true,
        content: Object.fromEntries(
          Object.entries(body.content).map(([type, schema]) => [
            type,
            {
              schema: toJson(schema, "input"),
              ...(type === "application/json" && example !== undefined && { example }),
            },
          ]),
        ),
      },
    }),
    responses: { ...describeAnswers(route, toJson), ...describeErrors(route) },
  };
}

function describeParameters(schema: Json, place: "path" | "query"): Json[] {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    ...(description !== undefined && { description }),
    schema: rest,
  }));
}

function describeAnswers({ answers }: Route, toJson: ToJsonSchema): Json {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { description, schema, type = "application/json" }]) => [
      status,
      { description, ...(schema !== undefined && { content: { [type]: { schema: toJson(schema, "output") } } }) },
    ]),
  );
}

function describeErrors({ errors, scope, body, answers }: Route): Json {
  const codes = [
    ...COMMON_ERRORS,
    ...(scope === "none" ? [] : (["UNAUTHORIZED", "STORE_UNAVAILABLE"] as const)),
    ...(body === null ? [] : BODY_ERRORS),
    ...errors,
  ];
  const statuses = [...new Set([...codes.map((code) => STATUS[code]), 500])].sort((one, other) => one - other);
  const content = { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } };
  const retry = { "retry-after": { description: "Seconds to wait.", schema: { type: "integer" } } };
  return Object.fromEntries(
    statuses.flatMap((status) =>
      status in answers
        ? []
        : [[status, { description: TITLE[status], ...([429, 503].includes(status) && { headers: retry }), content }]],
    ),
  );
}
