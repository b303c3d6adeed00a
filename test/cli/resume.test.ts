import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Services } from "../../src/app/compose.js";
import { takesLong } from "../require.js";
import { celrec, ipynb, makeFolder, openIndex, start } from "./celrec.js";

const NOTEBOOKS = 100;
const CELLS = 12;
/** Numbers of stored cells at which the process is killed; 0 means before the first write. */
const MOMENTS = [0, 1, 700];

async function everything({ store }: Services) {
  const notebooks = await Promise.all((await store.notebooks({ limit: 1_000 })).map(({ id }) => store.notebook(id)));
  const ids = [...new Set(notebooks.flatMap((each) => each!.cells.map(({ id }) => id)))].sort();
  return { notebooks, cells: await store.cells(ids), vectors: await store.vectors(ids), counts: await store.counts() };
}

describe.skipIf(!takesLong())("celrec index, killed", () => {
  it("ends in the same state as an uninterrupted run", { timeout: 300_000 }, async () => {
    const cells = (at: number) =>
      Array.from({ length: CELLS }, (_, place) =>
        place === 0 ? "import pandas as pd" : `frame_${at}_${place} = pd.read_csv("f${place}.csv")`,
      );
    const folder = makeFolder(
      Object.fromEntries(Array.from({ length: NOTEBOOKS }, (_, at) => [`n/${at}.ipynb`, ipynb(...cells(at))])),
    );
    const [disturbed, calm] = [join(folder, "disturbed"), join(folder, "calm")];
    const index = (data: string) => ["index", join(folder, "n"), "--data", data];
    await celrec(index(calm));
    const services = await openIndex(disturbed);
    let before = 0;
    for (const moment of MOMENTS) {
      const running = start(index(disturbed));
      while (running.child.exitCode === null && (await services.store.counts()).cells < moment) await sleep(2);
      running.child.kill("SIGKILL");
      await running.ended;
      const { cells: stored } = await services.store.counts();
      // Acknowledged notebooks are kept.
      expect(stored).toBeGreaterThanOrEqual(before);
      before = stored;
    }
    const { code, stdout } = await celrec(index(disturbed));
    expect(code).toBe(0);
    expect(stdout).toContain(`${NOTEBOOKS} notebooks (`);
    expect(await everything(services)).toEqual(await everything(await openIndex(calm)));
  });
});
