import { z } from "zod";
import { createToJsonSchema, type ToJsonSchema } from "../ask/fields.js";
import { LIMITS } from "../ask/limits.js";
import type { ErrorCode } from "../errors.js";
import { STATUS, TITLE } from "./error-handler.js";
import type { Route } from "./route.js";

type Json = Record<string, unknown>;

const DESCRIPTION = `celrec recommends notebook code cells while one is typed.

All bodies are JSON; errors are \`application/problem+json\` (RFC 9457). A body has at most ${LIMITS.bodyBytes / 2 ** 20} MB where
notebooks are uploaded or labelled, and ${LIMITS.requestBytes / 2 ** 20} MB elsewhere, a notebook at most
${LIMITS.cells.toLocaleString("en")} cells, the code of a question at most ${LIMITS.codeBytes / 1024} KB. A client that goes away cancels its work. At most
${LIMITS.changes.requests} uploads and deletions with ${LIMITS.changes.bytes / 2 ** 20} MB together are taken at one time, and no more questions than can be answered within a second: who comes
beyond gets 503 with \`Retry-After\`, at once. Headers have at most 16 KB and 10 seconds to come, a whole request 60 seconds. Where tokens are on, send
\`Authorization: Bearer TOKEN\`; each call names the scope that it needs.`;

const TAGS: Readonly<Record<Route["tag"], string>> = {
  Asking: "What clients ask while somebody types.",
  Agents: "What programs with a language model ask, by a protocol of their own.",
  Notebooks: "What is in the index, by notebook.",
  Index: "What is in the index, by cell and as a whole.",
  Operations: "For whoever runs the service.",
};

const problem = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe("What happened, with the value, and what to do."),
    requestId: z.string().describe("The `x-request-id` of the answer; the log has it, too."),
    errors: z
      .array(z.strictObject({ pointer: z.string().describe("A JSON pointer."), message: z.string() }))
      .optional()
      .describe("Every wrong part of the input."),
  })
  .describe("An error (RFC 9457).");

/** What can go wrong in any call: where it comes from, how often, a bug, a service that is stopping or overloaded. */
const EVERYWHERE: readonly ErrorCode[] = ["INPUT_INVALID", "FORBIDDEN", "TOO_MANY", "OVERLOADED"];
const OF_BODIES: readonly ErrorCode[] = ["TOO_LARGE", "MEDIA_TYPE"];

interface ApiOptions {
  readonly version: string;
  /** The label set, which is a choice of whoever runs the service. */
  readonly labels: readonly string[];
}

/** The API document: OpenAPI 3.1 out of the table of routes and the schemas that check requests and answers. */
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
    servers: [{ url: "/", description: "This service, where it is not behind a path of a proxy." }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    security: [{ token: [] }, {}],
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer", description: "Only where tokens are on." } },
      schemas: { Problem: toJson(problem, "output") },
    },
  };
}

function describeOperation(route: Route, toJson: ToJsonSchema): Json {
  const { name, tag, summary, description, scope, body, example } = route;
  const needs = scope === "none" ? "Needs no token." : `Needs the scope \`${scope}\` where tokens are on.`;
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
    ...EVERYWHERE,
    ...(scope === "none" ? [] : (["UNAUTHORIZED", "STORE_UNAVAILABLE"] as const)),
    ...(body === null ? [] : OF_BODIES),
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
