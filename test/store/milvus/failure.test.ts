import { describe, expect, it } from "vitest";
import { assertSuccess, isOutage, outage, toError, unavailable } from "../../../src/store/milvus/failure.js";

describe("failures of Milvus", () => {
  it("that the client throws as plain objects are classified by their reason, not as a lost connection", () => {
    const thrown = { error_code: "UnexpectedError", code: 1, reason: "collection is being dropped" };
    const error = toError(thrown);
    expect(error.message).toBe("collection is being dropped");
    expect(isOutage(error)).toBe(false);
    expect(isOutage(thrown)).toBe(false);
    expect(toError({ status: thrown }).message).toBe("collection is being dropped");
    expect(toError({ details: 7 }).message).toBe('{"details":7}');
  });

  it("of the connection are outages", () => {
    expect(isOutage(outage("gone"))).toBe(true);
    expect(isOutage(Object.assign(new Error("cancelled"), { code: 1 }))).toBe(true);
    expect(isOutage(new Error("anything else"))).toBe(false);
  });

  it("arrive in the status, also beside the word Success", () => {
    expect(() => assertSuccess({ status: { error_code: "Success", code: 0 } })).not.toThrow();
    expect(() => assertSuccess({ status: { error_code: "Success", code: 1100, reason: "bad" } })).toThrow("bad");
    expect(() => assertSuccess({ error_code: "IllegalArgument", reason: "" })).toThrow("IllegalArgument");
  });

  it.each([
    ["is it running? Its address is CELREC_MILVUS_ADDRESS", new Error("refused"), "STORE_UNAVAILABLE"],
    [
      "check CELREC_MILVUS_TOKEN (user:password, or an API key)",
      new Error("auth check failure, please check username and password are correct"),
      "STORE_UNAVAILABLE",
    ],
    ["has no room left to write", new Error("disk quota exceeded"), "DISK_FULL"],
  ])("say what to do: %s", (advice, cause, code) => {
    const error = unavailable("host:1", "write", cause);
    expect(error.code).toBe(code);
    expect(error.message).toContain("Milvus at host:1");
    expect(error.message).toContain(advice);
  });
});
