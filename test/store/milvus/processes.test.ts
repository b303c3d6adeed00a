import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Notebook } from "../../../src/store/vector-store.js";
import { isLongRun } from "../../require.js";
import { createRandom } from "../contract/fixtures.js";
import { ADDRESS, hasMilvus, hasMilvusLite, LITE_ADDRESS, type MilvusPlace, newPlace } from "./server.js";

const WRITER = fileURLToPath(new URL("./writer-process.js", import.meta.url));
const IDENTITY = { embedder: "test@1", dimensions: 4, labeller: "test@1", labels: ["load", "plot"] };
/** Four writers are killed in each round. */
const KILL_ROUNDS = process.env.CELREC_TEST_KILL_ROUNDS;
const ALL = { vector: Float32Array.of(1, 1, 1, 1), k: 100, strong: true };

/** The acknowledged writes of a writer, and the write in progress at its end. */
interface Told {
  readonly held: readonly Notebook[];
  readonly begun: { readonly id: string; readonly next: Notebook | null } | null;
}

/** Runs a writer. With `killAfter`, it is killed after that many milliseconds. */
async function write(
  { address, prefix }: MilvusPlace,
  name: string,
  rounds: number,
  killAfter?: number,
): Promise<Told> {
  const child = spawn(process.execPath, [WRITER, address, prefix, name, `${rounds}`], { stdio: ["ignore", "pipe", 2] });
  let text = "";
  child.stdout!.on("data", (chunk) => {
    text += chunk;
  });
  const timer = killAfter === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfter);
  await new Promise((resolve) => child.once("close", resolve));
  clearTimeout(timer);
  const lines = text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  const held = lines.findLast((line) => "held" in line)?.held ?? [];
  const last = lines.at(-1);
  return { held, begun: last !== undefined && "next" in last ? last : null };
}

describe.each([
  ["Milvus 2.3.5", ADDRESS, await hasMilvus(), 8, Number(KILL_ROUNDS ?? 2)],
  ["Milvus Lite", LITE_ADDRESS, await hasMilvusLite(), 20, Number(KILL_ROUNDS ?? (isLongRun ? 25 : 4))],
] as const)("processes that share cells on %s", (_, address, isThere, rounds, kills) => {
  it.runIf(isThere)(
    "end with every notebook that was acknowledged, whole and found",
    { timeout: 180_000 },
    async () => {
      const place = newPlace(address);
      const told = await Promise.all([write(place, "one", rounds), write(place, "two", rounds)]);
      const expected = told.flatMap(({ held }) => held);
      const store = place.open(IDENTITY);
      try {
        for (const notebook of expected) expect(await store.notebook(notebook.id)).toEqual(notebook);
        const cells = [...new Set(expected.flatMap((notebook) => notebook.cells.map(({ id }) => id)))].sort();
        expect(await store.missing(cells)).toEqual(new Set());
        expect((await store.search(ALL)).map(({ id }) => id).sort()).toEqual(cells);
        const summaries = await store.notebooks({ limit: 100 });
        expect(summaries.map(({ id }) => id)).toEqual(expected.map(({ id }) => id).sort());
      } finally {
        await store.close();
        await place.drop();
      }
    },
  );

  it.runIf(isThere)("lose nothing that was acknowledged when they are killed", { timeout: 900_000 }, async () => {
    const place = newPlace(address);
    const random = createRandom(17);
    const store = place.open(IDENTITY);
    try {
      await store.open();
      for (let round = 0; round < kills; round += 1) {
        const names = ["a", "b", "c", "d"].map((name) => `${name} ${round}`);
        const told = await Promise.all(names.map((name) => write(place, name, 50, 1_500 + 3_000 * random())));
        for (const { held, begun } of told) {
          for (const notebook of held) {
            const found = await store.notebook(notebook.id);
            // The write in progress may have succeeded; then the notebook must be complete.
            const possible = begun?.id === notebook.id ? [notebook, begun.next] : [notebook];
            expect(possible).toContainEqual(found);
            expect(await store.missing(found?.cells.map(({ id }) => id) ?? [])).toEqual(new Set());
          }
        }
      }
      await store.settle();
      const summaries = await store.notebooks({ limit: 10_000 });
      const whole = await Promise.all(summaries.map(({ id }) => store.notebook(id)));
      const cells = new Set(whole.flatMap((notebook) => notebook!.cells.map(({ id }) => id)));
      // Nothing that the killed processes wrote can be found.
      expect(new Set((await store.search(ALL)).map(({ id }) => id))).toEqual(cells);
      const occurrences = whole.reduce((sum, notebook) => sum + notebook!.cells.length, 0);
      expect(await store.counts()).toMatchObject({ cells: cells.size, notebooks: whole.length, occurrences });
    } finally {
      await store.close();
      await place.drop();
    }
  });
});
