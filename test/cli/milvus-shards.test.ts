import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { compose, type Services } from "../../src/app/compose.js";
import { parseConfig } from "../../src/config.js";
import { expectSoon } from "../store/contract/fixtures.js";
import { ADDRESS, hasMilvus, newPlace } from "../store/milvus/server.js";
import { celrec, ipynb, makeFolder, withoutProgress } from "./celrec.js";

const SHARDS = 4;
const NOTEBOOKS = 40;

/** Every notebook shares cells with its neighbours, which are mostly in other shards. */
const codesOf = (at: number) => [
  "import pandas as pd",
  `frame = pd.read_csv("part-${Math.floor(at / 2)}.csv")`,
  `frame_${at} = frame.dropna()`,
  `model_${at % 5}.fit(frame_${at})`,
];

async function everything({ store, embedder }: Services) {
  const notebooks = await Promise.all((await store.notebooks({ limit: 1_000 })).map(({ id }) => store.notebook(id)));
  const ids = [...new Set(notebooks.flatMap((each) => each?.cells.map(({ id }) => id) ?? []))].sort();
  const found = await store.search({ vector: new Float32Array(embedder.dimensions).fill(1), k: 1_000, strong: true });
  return {
    notebooks,
    cells: await store.cells(ids),
    found,
    sources: await store.sources(),
    counts: await store.counts(),
  };
}

describe.runIf(await hasMilvus())("celrec index --shard, four at once into one Milvus", () => {
  it("ends in the same state as a single run, also if a shard is repeated", { timeout: 400_000 }, async () => {
    const folder = makeFolder(
      Object.fromEntries(Array.from({ length: NOTEBOOKS }, (_, at) => [`n/${at}.ipynb`, ipynb(...codesOf(at))])),
    );
    const environmentOf = () => {
      const place = newPlace();
      onTestFinished(() => place.drop());
      return { CELREC_STORE: "milvus", CELREC_MILVUS_ADDRESS: ADDRESS, CELREC_MILVUS_PREFIX: place.prefix };
    };
    const [sharded, whole] = [environmentOf(), environmentOf()];
    const index = (env: Record<string, string>, data: string, ...more: string[]) =>
      celrec(["index", join(folder, "n"), "--source", "corpus", "--data", join(folder, data), ...more], { env });
    const runs = Array.from({ length: SHARDS }, (_, at) => index(sharded, `${at}`, "--shard", `${at + 1}/${SHARDS}`));
    for (const { code, stderr } of await Promise.all(runs)) expect([code, withoutProgress(stderr)]).toEqual([0, ""]);
    // One machine repeats its shard, as after a lost acknowledgement.
    expect((await index(sharded, "again", "--shard", `2/${SHARDS}`)).stdout).toContain(" 0 new, ");
    expect((await index(whole, "whole")).code).toBe(0);
    const open = async (env: Record<string, string>) => {
      const config = parseConfig({ ...env, CELREC_EMBEDDER: "lexical", CELREC_DATA: join(folder, "reader") });
      const services = await compose(config, { activity: "a test", hold: "call" });
      onTestFinished(() => services.close());
      return services;
    };
    const [one, other] = [await open(sharded), await open(whole)];
    const expected = await everything(other);
    expect(expected.counts.notebooks).toBe(NOTEBOOKS);
    await expectSoon(one.store, () => everything(one), expected);
  });
});
