import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../src/config.js";
import { ROUTES } from "../src/http/routes.js";
import { startService } from "./http/service.js";

const rest = readFileSync("docs/reference/rest.md", "utf8");

describe("docs/reference/rest.md", () => {
  it("names every call and every variable of the service", () => {
    for (const { path } of ROUTES) expect(rest).toContain(path);
    for (const name of [
      "HOST",
      "PORT",
      "TOKEN",
      "TOKENS_FILE",
      "HOSTS",
      "ORIGINS",
      "RATE",
      "WORKERS",
      "SECRETS",
      "FEEDBACK",
    ])
      expect(rest).toContain(`CELREC_${name}`);
    expect([parseConfig({}).rate, parseConfig({ CELREC_HOST: "0.0.0.0" }).rate]).toEqual([0, 600]);
  });

  it("has a curl line whose body works", async () => {
    const service = await startService();
    const [, body] = /-d '(\{.*\})'/.exec(rest)!;
    expect((await service.call("POST", "/v1/recommendations", JSON.parse(body!))).status).toBe(200);
  });
});
