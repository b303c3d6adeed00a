import { describe, expect, it } from "vitest";
import { fuzzService } from "../../scripts/fuzz/fuzz-service.js";
import { createHttpServer } from "../../src/http/http-server.js";
import { startService, upload } from "./service.js";

describe("fuzzed requests", () => {
  it("get 2xx or a problem document, in time, and leave a service that answers", { timeout: 240_000 }, async () => {
    const service = await startService({ CELREC_FEEDBACK: "on" }, undefined, undefined, createHttpServer);
    await upload(service, "a", ["import pandas as pd", "model.fit(X, y)"]);
    const { faults, statuses } = await fuzzService({ port: Number(new URL(service.url).port), requests: 600 });
    expect(faults).toEqual([]);
    // Some of the requests were valid, and some were not.
    expect([statuses[200]! > 50, statuses[400]! > 50]).toEqual([true, true]);
    expect((await service.call("GET", "/readyz")).status).toBe(200);
    expect(service.logged).toEqual([]);
  });
});
