import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished } from "vitest";
import { RecommenderError } from "../../../src/errors.js";
import { TargetFault } from "../../../src/evaluate/target.js";
import type { NamedNotebook } from "../../../src/notebook/notebook.js";

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface TestServer {
  readonly url: string;
  readonly asked: RecordedRequest[];
}

type Answer = (asked: RecordedRequest, response: ServerResponse) => void;

/** A server on a free port with the test's handler; closed at the end of the test. */
export async function startServer(answer: Answer): Promise<TestServer> {
  const asked: RecordedRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "", url: path = "", headers } = request;
    const one = { method, path, headers, body: Buffer.concat(chunks).toString() };
    asked.push(one);
    answer(one, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

export function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

/** A port on which nothing listens. */
export async function findDeadUrl(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

export function notebook(name: string, ...cells: string[]): NamedNotebook {
  return { name, notebook: { cells: cells.map((source, index) => ({ index, type: "code", source })) } };
}

/** The error that an action ends with, as its code or kind and its message. */
export async function failureOf(action: () => unknown): Promise<{ code: string; message: string }> {
  try {
    await action();
  } catch (error) {
    if (error instanceof RecommenderError) return { code: error.code, message: error.message };
    if (error instanceof TargetFault) return { code: error.kind, message: error.message };
    throw error;
  }
  expect.unreachable("nothing failed");
}
