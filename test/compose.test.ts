import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compose } from "../src/compose.js";
import { parseConfig } from "../src/config.js";
import { makeFolder } from "./http/service.js";

const open = (folder: string, create = true) =>
  compose(parseConfig({ CELREC_DATA: folder, CELREC_EMBEDDER: "lexical" }), {
    activity: "a test",
    hold: "call",
    create,
  });

describe("compose", () => {
  it("warms up, so that a question reads no cell but the ones that it shows", async () => {
    const folder = join(makeFolder(), "index");
    const first = await open(folder);
    const cells = Array.from({ length: 30 }, (_, index) => ({
      index,
      type: "code" as const,
      source: `df${index} = pd.read_csv("${index}.csv")`,
    }));
    await first.ingest([{ name: "a", notebook: { cells } }]);
    await first.close();
    const countRead = async (warm: boolean) => {
      const services = await open(folder);
      if (warm) await services.warm(new AbortController().signal);
      const { cells: read } = services.store;
      let count = 0;
      Object.assign(services.store, {
        cells: (ids: readonly string[]) => {
          count += ids.length;
          return read(ids);
        },
      });
      await services.ask.recommend({ code: "df = pd.read_csv(", k: 1 });
      await services.close();
      return count;
    };
    expect([await countRead(false), await countRead(true)]).toEqual([31, 1]);
  });

  it("makes no index where none is wanted", async () => {
    const folder = join(makeFolder(), "typo");
    const services = await open(folder, false);
    await expect(services.ask.stats()).rejects.toThrow(`There is no index in ${folder}`);
    await services.close();
    expect(existsSync(folder)).toBe(false);
  });
});
