import { existsSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { compose } from "../../src/app/compose.js";
import { parseConfig } from "../../src/config.js";
import { makeFolder } from "../http/service.js";

const open = (folder: string, create = true) =>
  compose(parseConfig({ CELREC_DATA: folder, CELREC_EMBEDDER: "lexical" }), {
    activity: "a test",
    hold: "call",
    create,
  });

describe("compose", () => {
  it("reads the cells that it shows, a few more if a line is unfinished, all candidates if profiles are missing", async () => {
    const folder = join(makeFolder(), "index");
    const cells = (names: readonly string[]) =>
      names.map((name, index) => ({ index, type: "code" as const, source: `${name} = pd.read_csv("${name}.csv")` }));
    const ingest = async (name: string, names: readonly string[]) => {
      const services = await open(folder);
      await services.ingest([{ name, notebook: { cells: cells(names) } }]);
      await services.close();
    };
    const countRead = async (code: string, mode: "auto" | "similar") => {
      const services = await open(folder);
      const forQuestion = services.store.forQuestion!;
      let count = 0;
      Object.assign(services.store, {
        forQuestion: () => {
          const store = forQuestion();
          const cells = (ids: readonly string[]) => {
            count += ids.length;
            return store.cells(ids);
          };
          return { ...store, cells };
        },
      });
      const { recommendations } = await services.ask.recommend({ code, mode, k: 1 });
      await services.close();
      return [count, recommendations.length];
    };
    await ingest(
      "a",
      Array.from({ length: 30 }, (_, at) => `df${at}`),
    );
    const line = "df = pd.read_csv(";
    expect(await countRead(line, "similar")).toEqual([1, 1]);
    // The text of the ten best cells that may continue the typed line is read for the exact check.
    expect(await countRead(line, "auto")).toEqual([11, 1]);
    const database = new Libsql(join(folder, "cells.db"));
    database.exec("update vectors set profile = null");
    database.close();
    expect(await countRead(line, "similar")).toEqual([31, 1]);
  });

  it("warms up with what is stored, and stops when the signal is aborted", async () => {
    const services = await open(join(makeFolder(), "index"));
    await services.warm(new AbortController().signal);
    const source = (index: number) => ({ index, type: "code" as const, source: `x${index} = pd.read_csv("a.csv")` });
    await services.ingest([{ name: "a", notebook: { cells: Array.from({ length: 60 }, (_, at) => source(at)) } }]);
    let searches = 0;
    const forQuestion = services.store.forQuestion!;
    Object.assign(services.store, {
      forQuestion: () => {
        const store = forQuestion();
        const search: typeof store.search = (request) => {
          searches += 1;
          return store.search(request);
        };
        return { ...store, search };
      },
    });
    await services.warm(AbortSignal.abort());
    expect(searches).toBe(0);
    // Warming up ends after some seconds. The clock is stopped here, so the speed of the machine does not matter.
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    await services.warm(new AbortController().signal);
    expect(searches).toBeGreaterThanOrEqual(40);
    await services.close();
  });

  it("creates no index unless requested", async () => {
    const folder = join(makeFolder(), "typo");
    const services = await open(folder, false);
    await expect(services.ask.stats()).rejects.toThrow(`There is no index in ${folder}`);
    await services.close();
    expect(existsSync(folder)).toBe(false);
  });
});
