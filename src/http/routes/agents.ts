import { z } from "zod";
import { LIMITS } from "../../ask/limits.js";
import { parseInput, parseJson } from "../../ask/parse-input.js";
import type { UseCases } from "../../ask/use-cases.js";
import type { Backend } from "../../mcp/backend.js";
import { jsonBytes } from "../read-body.js";
import { defineRoute } from "../route.js";

/** Batches are rejected, because a hundred requests would count as one. */
const messageSchema = z
  .strictObject({
    jsonrpc: z.literal("2.0"),
    id: z.union([z.string(), z.int()]).optional().describe("Of a request; a notification has none."),
    method: z.string(),
    params: z.record(z.string(), z.unknown()).optional(),
  })
  .describe("One message of JSON-RPC 2.0.");

const answerSchema = z.strictObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.int()]),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.looseObject({ code: z.int(), message: z.string() }).optional(),
});

export const agentRoutes = [
  defineRoute({
    name: "mcp",
    tag: "Agents",
    method: "post",
    path: "/mcp",
    scope: "read",
    summary: "Tools and resources for agents (Model Context Protocol over streamable HTTP)",
    description:
      "Stateless: there are no sessions, every answer is JSON, and there are no streams (`GET` is 405). Only tokens with the scope `write` see the tools that change the index.",
    body: {
      content: { "application/json": messageSchema },
      maxBytes: LIMITS.requestBytes,
      read: (request) => {
        const version = request.headers["mcp-protocol-version"];
        return {
          message: parseInput(messageSchema, parseJson(jsonBytes(request), LIMITS.requestValues)),
          version: typeof version === "string" ? version : undefined,
        };
      },
    },
    example: { jsonrpc: "2.0", id: 1, method: "tools/list" },
    answers: {
      200: { description: "The answer, which may be an error of JSON-RPC.", schema: answerSchema },
      202: { description: "A notification, which has no answer." },
    },
    handle: async ({ ask, body, signal, may, explain }) => {
      // Loaded on first use, because most services have no agents.
      const { answerHttpMessage } = await import("../../mcp/agent-server.js");
      const deps = { backend: toBackend(ask), mayWrite: may("write"), explain };
      return answerHttpMessage(deps, body, signal);
    },
  }),
];

function toBackend(ask: UseCases): Backend {
  return { ...ask, labelSet: async () => ask.labels, place: async () => "The index of this service" };
}
