import { fork } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import express from "express";

/** An Express route that does nothing, in a process of its own: the lower bound for any service. */
export async function serveEmpty(): Promise<{ url: string; stop(): void }> {
  const child = fork(fileURLToPath(import.meta.url));
  const [port] = (await once(child, "message")) as [number];
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill() };
}

if (process.send !== undefined && process.argv[1] === fileURLToPath(import.meta.url)) {
  const app = express().post("/v1/recommendations", (_request, response) => void response.json({}));
  const server = app.listen(0, "127.0.0.1", () => process.send!((server.address() as AddressInfo).port));
}
