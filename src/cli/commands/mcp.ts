import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { Command } from "commander";
import { RecommenderError } from "../../errors.js";
import { createAgentServer } from "../../mcp/server.js";
import { createAgentBackend } from "../agent-backend.js";
import type { Context, Run } from "../context.js";

interface Options {
  readonly readOnly?: true;
}

export function mcpCommand(run: Run): Command {
  return new Command("mcp")
    .description("serve agents over standard input and output (Model Context Protocol)")
    .option("--url <address>", "use this service instead of an index on this machine [CELREC_URL]")
    .option("--read-only", "leave out the tool that changes the index")
    .action(run(serveAgents));
}

async function serveAgents(context: Context, { readOnly }: Options) {
  const { output, signal } = context;
  const backend = createAgentBackend(context);
  const explain = (error: unknown): string => {
    if (error instanceof RecommenderError) return error.message;
    output.note(String((error as Error).stack));
    return "Something went wrong inside celrec; its standard error has the details.";
  };
  const server = createAgentServer({ backend, mayWrite: readOnly !== true, explain });
  try {
    await server.connect(new StdioServerTransport());
    await untilOver(signal);
    await server.close();
  } finally {
    await backend.close();
  }
  return 0;
}

/** An agent ends its servers by closing their input, or by a signal. */
function untilOver(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    process.stdin.once("end", resolve);
    process.stdin.once("close", resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
