import { Agent, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** One call over a persistent connection, with its time. */
export function post(url: string, path: string, value: unknown): Promise<{ ms: number; status: number; body: string }> {
  const payload = JSON.stringify(value);
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(payload) };
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const call = request(`${url}${path}`, { method: "POST", agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const body = Buffer.concat(chunks).toString();
        resolve({ ms: performance.now() - start, status: response.statusCode ?? 0, body });
      });
    });
    call.on("error", reject);
    call.end(payload);
  });
}

export function listen(server: Server): Promise<Server> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(server));
  });
}

export function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
