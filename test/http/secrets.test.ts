import { describe, expect, it } from "vitest";
import { idOf, type Loose, problemOf, startService, upload } from "./service.js";

const SECRET = "password = 'correct-horse'";
const codesOf = async (service: Awaited<ReturnType<typeof startService>>) =>
  (await service.call("GET", `/v1/notebooks/${idOf("a")}`)).body.cells.map(({ code }: Loose) => code);

describe("a notebook that holds secrets", () => {
  const secrets = [{ cellIndex: 1, kind: "password or key in a string" }];

  it("is stored, and the answer lists their positions", async () => {
    const service = await startService();
    const { status, body } = await upload(service, "a", ["x = 1", SECRET]);
    expect([status, body.notebooks[0].secrets]).toEqual([201, secrets]);
    expect(await codesOf(service)).toEqual(["x = 1", SECRET]);
  });

  it("is stored without them if the setting is `mask`", async () => {
    const service = await startService({ CELREC_SECRETS: "mask" });
    const { body } = await upload(service, "a", ["x = 1", SECRET]);
    expect(body.notebooks[0].secrets).toEqual(secrets);
    expect(await codesOf(service)).toEqual(["x = 1", "password = '********'"]);
  });

  it("is rejected if the setting is refuse", async () => {
    const service = await startService({ CELREC_SECRETS: "refuse" });
    const answer = await upload(service, "a", ["x = 1", SECRET]);
    expect(problemOf(answer)).toMatchObject({
      status: 422,
      detail: "a: it contains secrets: password or key in a string in cell 1; remove them and send it again",
    });
    expect(answer.body.title).toBe("The notebook contains secrets");
    expect(await service.stats()).toMatchObject({ cells: 0 });
  });
});
