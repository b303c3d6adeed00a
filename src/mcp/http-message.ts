import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { RecommenderError } from "../errors.js";
import { type AgentServerDeps, createAgentServer } from "./server.js";

export interface HttpMessage {
  /** One message of JSON-RPC. */
  readonly message: unknown;
  /** The `mcp-protocol-version` of the request, if it has one. */
  readonly version: string | undefined;
}

/** What is sent back; no body where the message asks for no answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly body?: unknown;
}

/**
 * Answers one message of the streamable HTTP transport. Nothing is remembered between two of them, so that any process may
 * answer any of them, and the answer is JSON, never a stream.
 */
export async function answerHttpMessage(
  deps: AgentServerDeps,
  { message, version }: HttpMessage,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  signal.throwIfAborted();
  const server = createAgentServer(deps);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  // Whatever it does for a client that went away is aborted with it.
  let leave = () => {};
  const gone = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
  });
  try {
    const headers = new Headers({ "content-type": "application/json", accept: "application/json, text/event-stream" });
    if (version !== undefined) headers.set("mcp-protocol-version", version);
    // The address is never looked at: where requests may come from is settled before.
    const request = new Request("http://localhost/mcp", { method: "POST", headers });
    const response = await Promise.race([transport.handleRequest(request, { parsedBody: message }), gone]);
    const text = await response.text();
    const body = text === "" ? undefined : (JSON.parse(text) as { readonly error?: { readonly message: string } });
    if (!response.ok) throw new RecommenderError("INPUT_INVALID", body?.error?.message ?? response.statusText);
    return { status: response.status, ...(body !== undefined && { body }) };
  } finally {
    signal.removeEventListener("abort", leave);
    await server.close();
  }
}
