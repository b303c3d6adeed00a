import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { onTestFinished } from "vitest";
import { MAIN, ROOT } from "../cli/celrec.js";

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Loose = any;

/** The SDK's own client, connected until the test is over. */
export interface Agent {
  readonly client: Client;
  call(name: string, input?: object): Promise<{ text: string; isError: boolean }>;
  read(uri: string): Promise<string>;
}

/** The real program, over standard input and output. */
export async function connectProgram(words: readonly string[], env: Record<string, string> = {}): Promise<Agent> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, "mcp", ...words],
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", CELREC_EMBEDDER: "lexical", ...env },
    stderr: "pipe",
  });
  return connect(transport);
}

/** A service, over streamable HTTP. */
export async function connectService(url: string, headers: Record<string, string> = {}): Promise<Agent> {
  return connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }));
}

async function connect(transport: StdioClientTransport | StreamableHTTPClientTransport): Promise<Agent> {
  const client = new Client({ name: "a test", version: "1.0.0" });
  onTestFinished(() => client.close());
  // The SDK's own types do not compile with exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  // Every agent calls this first.
  await client.listTools();
  return {
    client,
    async call(name, input = {}) {
      const { content, isError = false } = (await client.callTool({
        name,
        arguments: input as Record<string, unknown>,
      })) as Loose;
      return { text: content[0].text, isError };
    },
    read: async (uri) => ((await client.readResource({ uri })).contents[0] as { text: string }).text,
  };
}
