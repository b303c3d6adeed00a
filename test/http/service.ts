import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { compose, type Services } from "../../src/app/compose.js";
import type { AskDeps } from "../../src/ask/deps.js";
import { createOperations } from "../../src/ask/operations.js";
import { createUseCases } from "../../src/ask/use-cases.js";
import { parseConfig } from "../../src/config.js";
import { createAdmission } from "../../src/http/admission.js";
import { createApp } from "../../src/http/app.js";
import { STATUS } from "../../src/http/error-handler.js";
import type { Route } from "../../src/http/route.js";
import { ROUTES } from "../../src/http/routes.js";
import { notebookId } from "../../src/notebook/extract.js";
import { fastFolder } from "../fast-folder.js";

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type Loose = any;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Loose;
}

export interface Service {
  readonly url: string;
  readonly folder: string;
  readonly deps: Services;
  readonly logged: { readonly values: object; readonly message: string }[];
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  stats(): Promise<unknown>;
  /** Stops accepting requests, as after SIGTERM. */
  stopTaking(): void;
}

/** Registers cleanup for the end of the test. */
type OnEnd = (action: () => void | Promise<void>) => void;

export function makeFolder(onEnd: OnEnd = onTestFinished): string {
  const folder = mkdtempSync(join(fastFolder, "celrec-test-"));
  onEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * The real service over a real embedded index in its own folder; both are removed at the end of the test or on request.
 */
export async function startService(
  env: Record<string, string> = {},
  change: (deps: Services) => Partial<AskDeps> = () => ({}),
  onEnd: OnEnd = onTestFinished,
  serve: (app: RequestListener) => Server = createServer,
): Promise<Service> {
  const folder = env.CELREC_DATA ?? makeFolder(onEnd);
  const config = parseConfig({ CELREC_EMBEDDER: "lexical", ...env, CELREC_DATA: folder });
  const services = await compose(config, { activity: "celrec test", hold: "call" });
  const logged: { values: object; message: string }[] = [];
  const logger = {
    info: () => {},
    error: (values: object, message: string) => void logged.push({ values, message }),
  };
  const ask = createUseCases({
    operations: createOperations({ ...services, ...change(services) }),
    labels: services.labeller.labels,
    embedder: services.embedder.id,
    config,
  });
  const admission = createAdmission();
  const server = serve(createApp({ config, ask, logger, admission }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await services.close();
  });
  const call: Service["call"] = async (method, path, body, headers = {}) => {
    const isPlain = body !== undefined && typeof body === "object" && !(body instanceof FormData);
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...(isPlain && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: isPlain ? JSON.stringify(body) : (body as string | FormData) }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get("content-type") ?? "");
    const answer = { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
    checkContract(method, path, answer);
    return answer;
  };
  const stats = async () => (await call("GET", "/v1/stats")).body;
  return { url, folder, deps: services, logged, call, stats, stopTaking: admission.stop };
}

/** Checks every answer against the route table: a listed status with the right schema. */
function checkContract(method: string, path: string, { status, body }: Answer): void {
  const route = ROUTES.find((each) => each.method === method.toLowerCase() && pathPattern(each).test(path));
  if (route === undefined) return;
  const expected = route.answers[status];
  if (expected === undefined) {
    expect([...route.errors.map((code) => STATUS[code]), ...EVERYWHERE]).toContain(status);
    return;
  }
  if (expected.schema === undefined) expect(body).toBe("");
  else expect(expected.schema.safeParse(body).error?.issues ?? []).toEqual([]);
}

/**
 * The statuses mean: bad input, too large, wrong content type, no or wrong token, foreign origin, too many requests, a
 * bug, no store.
 */
const EVERYWHERE = [400, 401, 403, 413, 415, 429, 500, 503];

function pathPattern({ path }: Route): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}(\\?.*)?$`);
}

/** An ipynb with these code cells. */
export function ipynb(cells: readonly string[], metadata: object = {}): object {
  const cell = (source: string) => ({ cell_type: "code", source, metadata: {}, outputs: [], execution_count: null });
  return { nbformat: 4, nbformat_minor: 5, metadata, cells: cells.map(cell) };
}

export async function upload(service: Service, name: string, cells: readonly string[]): Promise<Answer> {
  return service.call("POST", `/v1/notebooks?name=${encodeURIComponent(name)}`, ipynb(cells));
}

/** A form with these files. */
export function form(files: Record<string, string>): FormData {
  const data = new FormData();
  for (const [name, text] of Object.entries(files)) data.append("file", new Blob([text]), name);
  return data;
}

export const idOf = notebookId;

/** Checks the fields that all problems share, and returns the fields that only this problem has. */
export function problemOf({ status, headers, body }: Answer): { status: number; detail: string; errors?: unknown } {
  expect(headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
  const { type, title, status: inside, detail, requestId, errors, ...rest } = body;
  expect(rest).toEqual({});
  expect(type).toBe("about:blank");
  expect(title).toMatch(/^[A-Z]/);
  expect(inside).toBe(status);
  expect(requestId).toBe(headers.get("x-request-id"));
  expect(requestId).toMatch(/^[\w.-]{1,64}$/);
  return errors === undefined ? { status, detail } : { status, detail, errors };
}
