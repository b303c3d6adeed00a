import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createAdmission, shedLoad } from "../../src/http/admission.js";
import { createHttpServer, stopServer } from "../../src/http/http-server.js";
import { ROUTES } from "../../src/http/routes.js";
import { startService, upload } from "./service.js";

describe("GET /metrics", () => {
  it("has every figure that the dashboard shows", async () => {
    const service = await startService();
    await upload(service, "a", ["x = 1", "model.fit(X, y)"]);
    await service.call("POST", "/v1/recommendations", { code: "model.fit(" });
    const { status, headers, body } = await service.call("GET", "/metrics");
    expect([status, headers.get("content-type")]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
    expect(body).toContain('celrec_request_duration_seconds_count{call="recommend",status="200"} 1\n');
    expect(body).toContain('celrec_stage_duration_seconds_count{stage="search"} 1\n');
    expect(body).toContain('celrec_index_size{what="cells"} 2\n');
    expect(body).toContain("celrec_requests_running 0\n");
    const dashboard = readFileSync("examples/grafana/celrec.json", "utf8");
    const shown = new Set(dashboard.match(/\b(?:celrec|nodejs|process)_[a-z0-9_]+/g));
    expect(shown.size).toBeGreaterThan(6);
    const known = new Set(body.match(/^# TYPE \S+/gm)?.map((line: string) => line.slice(7)));
    const base = (name: string) => name.replace(/_(bucket|count|sum)$/, "");
    expect([...shown].filter((name) => !known.has(name) && !known.has(base(name)))).toEqual([]);
  });
});

describe("createAdmission", () => {
  /** A minimal response object: the handler only needs its end event. */
  function createCalls() {
    let now = 0;
    const { questions, changes, accepts, running, stop } = createAdmission(() => now);
    const ends: (() => void)[] = [];
    const call = (handler = questions, headers = {}, request = { headers }) => {
      const response = { once: (_name: string, end: () => void) => void ends.push(end), setHeader: () => {} };
      let isTaken = false;
      try {
        handler(request as never, response as never, () => {
          isTaken = true;
        });
      } catch {
        return false;
      }
      return isTaken;
    };
    const end = (ms: number) => {
      now += ms;
      ends.shift()!();
    };
    const change = (bytes: number) => call(changes, { "content-length": String(bytes) });
    /** Runs both checks of a request in order: first `shedLoad`, then the check of the route. */
    const callShed = () => {
      const request = { headers: {} };
      return accepts(request as never) ? call(questions, {}, request) : null;
    };
    return { call, callShed, change, end, running, stop };
  }

  it("accepts requests that can be answered within a second at the recent pace, and recovers at once", () => {
    const { call, callShed, end, running } = createCalls();
    for (let at = 0; at < 200; at += 1) {
      expect(call()).toBe(true);
      end(10);
    }
    let taken = 0;
    while (call()) taken += 1;
    expect(callShed()).toBe(null);
    // Fifty answers of 10 ms each are half a second.
    expect(taken).toBe(51);
    end(10);
    expect([callShed(), running()]).toEqual([true, 51]);
    expect([callShed(), call()]).toEqual([null, false]);
    while (running() > 0) end(10);
    expect(call()).toBe(true);
  });

  it("always accepts a few requests, even after a slow one", () => {
    const { call, end } = createCalls();
    call();
    end(60_000);
    expect(Array.from({ length: 33 }, () => call())).toEqual([...Array(32).fill(true), false]);
  });

  it("accepts changes up to a number and a size, but always the first one", () => {
    const { change, call, end } = createCalls();
    expect(Array.from({ length: 65 }, () => change(1))).toEqual([...Array(64).fill(true), false]);
    expect(call()).toBe(true);
    for (let at = 0; at < 65; at += 1) end(1);
    const MB = 2 ** 20;
    expect([change(25 * MB), change(25 * MB), change(25 * MB), change(25 * MB)]).toEqual([true, true, true, true]);
    expect(change(1)).toBe(false);
    end(1);
    expect([change(25 * MB), change(1)]).toEqual([true, false]);
  });

  it("accepts no request once it is stopped", () => {
    const { call, stop } = createCalls();
    expect(call()).toBe(true);
    stop();
    expect(call()).toBe(false);
  });
});

describe("a service that is stopping", () => {
  it("is not ready any more, and alive until its end", async () => {
    const service = await startService();
    expect((await service.call("GET", "/readyz")).body).toEqual({ status: "ready", store: "ok", model: "ok" });
    service.stopTaking();
    const { status, body } = await service.call("GET", "/readyz");
    expect([status, body]).toEqual([503, { status: "stopping", store: "ok", model: "ok" }]);
    expect((await service.call("GET", "/healthz")).status).toBe(200);
    expect((await service.call("POST", "/v1/recommendations", { code: "x" })).status).toBe(503);
  });
});

describe("stopServer", () => {
  it("stops despite clients that are idle, always busy, or stuck in the middle of a body", async () => {
    const server = createHttpServer((asked, response) => {
      asked.resume().on("end", () => response.end("ok"));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    let answers = 0;
    const ask = () => {
      const sent = request({ port, host: "127.0.0.1", agent }, (answer) => {
        answers += 1;
        answer.resume().on("end", ask);
      });
      sent.on("error", () => {}).end();
    };
    ask();
    const stuck = connect(port, "127.0.0.1").on("error", () => {});
    stuck.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nab");
    connect(port, "127.0.0.1").on("error", () => {});
    while (answers < 3) await new Promise((resolve) => setImmediate(resolve));
    await stopServer(server, 300);
    expect(server.listening).toBe(false);
  });
});

describe("shedLoad", () => {
  it("refuses questions before anything else is done for them, and nothing but questions", async () => {
    let isFull = true;
    let refused = 0;
    const listener = shedLoad((_request, response) => void response.end("taken"), {
      admission: { ...createAdmission(), accepts: () => !isFull },
      routes: ROUTES,
      onRefused: () => {
        refused += 1;
      },
    });
    const server = createHttpServer(listener);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
    const ask = (path: string, method = "POST") => fetch(`${url}${path}`, { method });
    const answer = await ask("/v1/recommendations");
    expect([answer.status, answer.headers.get("retry-after"), answer.headers.get("content-type")]).toEqual([
      503,
      "1",
      "application/problem+json; charset=utf-8",
    ]);
    expect(await answer.json()).toEqual({
      type: "about:blank",
      title: "Unavailable",
      status: 503,
      detail: "The service is overloaded; try again later.",
      requestId: answer.headers.get("x-request-id"),
    });
    const others = [ask("/healthz", "GET"), ask("/v1/notebooks"), ask("/v1/feedback/summary", "GET")];
    expect(await Promise.all(others.map(async (other) => (await other).text()))).toEqual(["taken", "taken", "taken"]);
    isFull = false;
    expect(await (await ask("/v1/search")).text()).toBe("taken");
    expect(refused).toBe(1);
  });
});
