import type { Tool as ToolDescription } from "@modelcontextprotocol/sdk/types.js";
import type { z } from "zod";
import { createToJsonSchema } from "../ask/parse-input.js";
import type { Backend } from "./backend.js";

/** The context of a tool call. */
interface ToolCall {
  readonly backend: Backend;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, of: number | null) => void;
}

/** One row of the tool table: its description for agents, and its call of a use case. */
export interface Tool<I extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** The description for agents, with the tool to call next. */
  readonly description: string;
  /** `write` if it changes the index. */
  readonly scope: "read" | "write";
  /** Whether the tool deletes data. */
  readonly isDestructive?: true;
  readonly input: I;
  /** Fields that this server does not accept, with the replacement. */
  readonly refused?: Readonly<Record<string, string>>;
  /**
   * The answer, as text only. Clients show structured content to the model instead of the text, and then our text could
   * not be told from that of strangers.
   */
  answer(input: z.output<I>, call: ToolCall): Promise<string>;
}

/** Checks at compile time that the input fits the schema. */
export function defineTool<I extends z.ZodType>(tool: Tool<I>): Tool {
  return tool as unknown as Tool;
}

/** Left out of descriptions: they cost tokens, some clients reject them, and we check them anyway. */
const OMITTED_KEYWORDS = new Set([
  "additionalProperties",
  "anyOf",
  "default",
  "maximum",
  "maxItems",
  "maxLength",
  "minimum",
  "minLength",
  "pattern",
  "propertyNames",
]);

/** Cached by tool: over HTTP every message gets a new server, and schemas are slow to build. */
const described = new WeakMap<Tool, ToolDescription>();

/** The description of a tool for agents. */
export function describeTool(tool: Tool): ToolDescription {
  const description = described.get(tool) ?? describe(tool);
  described.set(tool, description);
  return description;
}

function describe({ name, description, scope, isDestructive, input }: Tool): ToolDescription {
  return {
    name,
    description,
    // The label set is not listed here: `index_status` has it.
    inputSchema: shortenSchema(createToJsonSchema([])(input, "input")) as ToolDescription["inputSchema"],
    annotations: scope === "read" ? { readOnlyHint: true } : { destructiveHint: isDestructive === true },
  };
}

function shortenSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(shortenSchema);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => {
      const isEmpty = Array.isArray(value) ? value.length === 0 : value === "";
      return OMITTED_KEYWORDS.has(key) || isEmpty ? [] : [[key, shortenSchema(value)]];
    }),
  );
}
