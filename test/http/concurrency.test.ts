import { describe, expect, it } from "vitest";
import { idOf, startService, upload } from "./service.js";

const cells = (count: number, from = 0) =>
  Array.from(
    { length: count },
    (_, at) => `df${from + at} = pd.read_csv("file${from + at}.csv")\ndf${from + at}.head()`,
  );

describe("many requests at once", () => {
  it("stores two concurrent uploads of one name one after the other", async () => {
    const service = await startService();
    const answers = await Promise.all([upload(service, "a", cells(40)), upload(service, "a", cells(40, 20))]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    const { body } = await service.call("GET", `/v1/notebooks/${idOf("a")}`);
    expect(body.cells.length).toBe(40);
    expect(await service.stats()).toMatchObject({ cells: 40, notebooks: 1, occurrences: 40 });
  });

  it("stores uploads that share cells", async () => {
    const service = await startService();
    const names = Array.from({ length: 12 }, (_, at) => `n${at}`);
    const answers = await Promise.all(names.map((name) => upload(service, name, cells(20))));
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 201));
    expect(await service.stats()).toMatchObject({ cells: 20, notebooks: 12, occurrences: 240 });
  });

  it("answers many recommendations during uploads, each with stored cells", async () => {
    const service = await startService();
    await upload(service, "first", cells(30));
    const uploads = Promise.all([1, 2, 3].map((at) => upload(service, `n${at}`, cells(100, 100 * at))));
    const answers = await Promise.all(
      Array.from({ length: 100 }, () =>
        service.call("POST", "/v1/recommendations", { code: "df7 = pd.read_csv(", k: 5, collapse: false }),
      ),
    );
    expect(answers.map(({ status, body }) => [status, body.recommendations?.length])).toEqual(
      answers.map(() => [200, 5]),
    );
    expect((await uploads).map(({ status }) => status)).toEqual([201, 201, 201]);
  });

  it("survives uploads and deletions of notebooks that share cells", async () => {
    const service = await startService();
    await upload(service, "a", cells(20));
    const work = Array.from({ length: 30 }, (_, at) =>
      at % 2 === 0
        ? upload(service, `b${at % 6}`, cells(20))
        : service.call("DELETE", `/v1/notebooks/${idOf(at % 3 === 0 ? "a" : `b${(at + 1) % 6}`)}`),
    );
    const statuses = (await Promise.all(work)).map(({ status }) => status);
    expect(statuses.filter((status) => status >= 500 && status !== 503)).toEqual([]);
    expect(service.logged).toEqual([]);
  });
});
