import type { Tool as ToolDescription } from "@modelcontextprotocol/sdk/types.js";
import type { z } from "zod";
import { createToJsonSchema } from "../ask/fields.js";
import type { Backend } from "./backend.js";

/** What an answer is made with besides the input. */
interface ToolCall {
  readonly backend: Backend;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, of: number | null) => void;
}

/** The same answer twice: for programs, and for a model to read. */
interface ToolAnswer<O> {
  readonly structured: O;
  readonly text: string;
}

/** One row of the table of tools: what agents see of it, and its one call of the use cases. */
export interface Tool<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** `write` where it changes the index. */
  readonly scope: "read" | "write";
  readonly input: I;
  readonly output: O;
  answer(input: z.output<I>, call: ToolCall): Promise<ToolAnswer<z.output<O>>>;
}

/** Checks that input and output fit the schemas. */
export function defineTool<I extends z.ZodType, O extends z.ZodType>(tool: Tool<I, O>): Tool {
  return tool as unknown as Tool;
}

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
