import type { Tool as ToolDescription } from "@modelcontextprotocol/sdk/types.js";
import { createToJsonSchema } from "../ask/to-json-schema.js";
import type { Tool } from "./tool.js";

/** Bounds that are checked anyway: a model reads them all day long, and some clients stumble over them. */
const UNTOLD = new Set(["pattern", "minLength", "maxLength", "maxItems", "propertyNames"]);

/** By label set: over HTTP every message has a server of its own, and schemas take their time. */
const described = new WeakMap<readonly string[], Map<Tool, ToolDescription>>();

/** What agents are told of a tool. */
export function describeTool(tool: Tool, labels: readonly string[]): ToolDescription {
  const known = described.get(labels) ?? new Map<Tool, ToolDescription>();
  described.set(labels, known);
  const description = known.get(tool) ?? describe(tool, labels);
  known.set(tool, description);
  return description;
}

function describe({ name, title, description, scope, input, output }: Tool, labels: readonly string[]) {
  const toJson = createToJsonSchema(labels);
  return {
    name,
    title,
    description,
    inputSchema: slim(toJson(input, "input")) as ToolDescription["inputSchema"],
    outputSchema: toJson(output, "output") as ToolDescription["outputSchema"],
    annotations: {
      readOnlyHint: scope === "read",
      ...(scope === "write" && { destructiveHint: false, idempotentHint: true }),
      openWorldHint: false,
    },
  };
}

function slim(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(slim);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => (UNTOLD.has(key) ? [] : [[key, slim(value)]])),
  );
}
