import type { Tool as ToolDescription } from "@modelcontextprotocol/sdk/types.js";
import type { z } from "zod";
import { createToJsonSchema } from "../ask/fields.js";
import type { Backend } from "./backend.js";

/** What a tool gets besides its input. */
interface ToolCall {
  readonly backend: Backend;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, of: number | null) => void;
}

/** An answer in two forms: for programs, and as text for a model. */
interface ToolAnswer<O> {
  readonly structured: O;
  readonly text: string;
}

/** One row of the tool table: its description for agents, and its call of a use case. */
export interface Tool<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** `write` if it changes the index. */
  readonly scope: "read" | "write";
  readonly input: I;
  readonly output: O;
  answer(input: z.output<I>, call: ToolCall): Promise<ToolAnswer<z.output<O>>>;
}

/** Checks at compile time that input and output fit the schemas. */
export function defineTool<I extends z.ZodType, O extends z.ZodType>(tool: Tool<I, O>): Tool {
  return tool as unknown as Tool;
}

/** Left out of descriptions: they cost tokens, some clients reject them, and we check them anyway. */
const OMITTED_KEYWORDS = new Set(["pattern", "minLength", "maxLength", "maxItems", "propertyNames"]);

/** Cached by label set: over HTTP every message gets a new server, and schemas are slow to build. */
const described = new WeakMap<readonly string[], Map<Tool, ToolDescription>>();

/** The description of a tool for agents. */
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
    Object.entries(schema).flatMap(([key, value]) => (OMITTED_KEYWORDS.has(key) ? [] : [[key, slim(value)]])),
  );
}
