import { describe, expect, it } from "vitest";
import { problemOf, type Service, startService } from "./service.js";

const ask = (service: Service, body: object, headers?: Record<string, string>) =>
  service.call("POST", "/v1/completions", body, headers);

describe("POST /v1/completions", () => {
  it("refuses what is no request, and names every wrong part", async () => {
    const service = await startService();
    const wrong = async (body: object) => problemOf(await ask(service, body)).detail;
    expect(await wrong({})).toBe("`prefix` is missing");
    expect(await wrong({ prefix: "x", k: 0 })).toBe("`k` must be an integer from 1 to 5, not 0");
    expect(await wrong({ prefix: "x", k: 6 })).toBe("`k` must be an integer from 1 to 5, not 6");
    expect(await wrong({ prefix: "x", maxLines: 21 })).toBe("`maxLines` must be an integer from 1 to 20, not 21");
    expect(await wrong({ prefix: "x", minConfidence: 2 })).toBe("`minConfidence` must be a number from 0 to 1, not 2");
    expect(await wrong({ prefix: "x", code: "y" })).toBe("`code` is not a known field");
    expect(await wrong({ prefix: "x", context: { above: [] } })).toBe("`context.above` is not a known field");
    expect(await wrong({ prefix: "x", context: { variables: { df: { columns: ["a"] } } } })).toBe(
      "`context.variables.df.type` is missing",
    );
  });

  it.each(["prefix", "suffix"])("refuses a %s over 256 KB with 413", async (field) => {
    const service = await startService();
    const answer = await ask(service, { prefix: "x", [field]: "x".repeat(256 * 1024 + 1) });
    expect(problemOf(answer)).toEqual({
      status: 413,
      detail: `The ${field} has 262145 bytes; at most 262144 (256 KB) are taken.`,
    });
  });

  it("needs a token that may read", async () => {
    const service = await startService({ CELREC_TOKEN: "0123456789abcdef" });
    expect((await ask(service, { prefix: "x" })).status).toBe(401);
    expect((await ask(service, { prefix: "x" }, { authorization: "Bearer 0123456789abcdef" })).status).toBe(200);
  });

  it("ends the work when the client goes away", async () => {
    let tell = (_signal: AbortSignal) => {};
    const started = new Promise<AbortSignal>((resolve) => {
      tell = resolve;
    });
    // The model answers too fast to be interrupted from outside.
    const complete = ({ signal }: { signal?: AbortSignal | undefined }) =>
      new Promise<never>((_, reject) => {
        signal!.addEventListener("abort", () => reject(signal!.reason));
        tell(signal!);
      });
    const service = await startService({}, () => ({ complete }));
    const gone = new AbortController();
    const answer = fetch(`${service.url}/v1/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ prefix: "df." }),
      signal: gone.signal,
    });
    const signal = await started;
    const ended = new Promise((resolve) => signal.addEventListener("abort", resolve));
    gone.abort();
    await expect(answer).rejects.toThrow("aborted");
    await ended;
    expect(signal.aborted).toBe(true);
  });
});
