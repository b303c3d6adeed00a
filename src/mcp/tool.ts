import type { z } from "zod";
import type { Backend } from "./backend.js";

/** What an answer is made with besides the input. */
export interface ToolCall {
  readonly backend: Backend;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, of: number | null) => void;
}

/** The same answer twice: for programs, and for a model to read. */
export interface ToolAnswer<O> {
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
