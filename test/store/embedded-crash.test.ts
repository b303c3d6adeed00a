import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmbeddedStore } from "../../src/store/embedded.js";
import type { VectorStore } from "../../src/store/vector-store.js";
import { isLongRun } from "../require.js";
import { createRandom } from "./contract/fixtures.js";
import { follow, IDENTITY, LIMITS, sha, toCell } from "./embedded-crash-steps.js";

const KILLS = isLongRun ? 50 : 5;
const WRITER = fileURLToPath(new URL("./embedded-crash-writer.js", import.meta.url));

/**
 * A child writes from `step` on and is killed `ms` after its first acknowledgement. Returns the last acknowledged step.
 */
async function writeAndKill(folder: string, step: number, ms: number): Promise<number> {
  const child = spawn(process.execPath, [WRITER, folder, `${step}`], { stdio: ["ignore", "pipe", "inherit"] });
  let acknowledged = "";
  const ended = new Promise<string | null>((resolve) => child.on("close", (_code, signal) => resolve(signal)));
  const begun = new Promise<void>((resolve) => {
    child.stdout.on("data", (chunk) => {
      acknowledged += chunk;
      resolve();
    });
  });
  await Promise.race([begun, ended]);
  await sleep(ms);
  child.kill("SIGKILL");
  expect(await ended).toBe("SIGKILL");
  const whole = acknowledged.slice(0, acknowledged.lastIndexOf("\n"));
  return Number(whole.split("\n").at(-1));
}

/** The cells of each notebook in the index, by name. */
async function readAll(store: VectorStore): Promise<Map<string, string[]>> {
  const held = new Map<string, string[]>();
  for (const { id, name } of await store.notebooks({ limit: 1000 })) {
    const positions = (await store.notebook(id))!.cells;
    const cells = await store.cells(positions.map((position) => position.id));
    held.set(
      name,
      cells.map(({ code }) => code),
    );
  }
  return held;
}

const sorted = (held: ReadonlyMap<string, readonly string[]>) => [...held].sort(([a], [b]) => (a < b ? -1 : 1));

describe("the embedded store and kill -9", () => {
  it(`keeps what it acknowledged, and opens, ${KILLS} times in a row`, { timeout: 240_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "celrec-crash-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const random = createRandom(11);
    const expected = new Map<string, string[]>();
    let next = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const last = await writeAndKill(folder, next, Math.floor(random() * 60));
      expect(last).toBeGreaterThanOrEqual(next);
      for (; next <= last; next += 1) follow(expected, next);

      const writer = { pid: process.pid, activity: "a test" };
      const store = createEmbeddedStore({
        folder,
        identity: IDENTITY,
        writer,
        hold: "call",
        exactBelow: 30,
        limits: LIMITS,
      });
      try {
        const held = sorted(await readAll(store));
        // The write in progress when the child was killed is stored completely or not at all.
        if (JSON.stringify(held) !== JSON.stringify(sorted(expected))) {
          follow(expected, next);
          next += 1;
          expect(held).toEqual(sorted(expected));
        }
        const codes = [...expected.values()].flat();
        const distinct = [...new Set(codes)];
        expect(await store.counts()).toEqual({
          cells: distinct.length,
          notebooks: expected.size,
          occurrences: codes.length,
          labels: { load: distinct.length, plot: 0 },
        });
        for (const code of distinct.slice(0, 5).concat(distinct.slice(-5)))
          expect((await store.search({ vector: toCell(code).vector, k: 1 }))[0]?.id).toBe(sha(code));
        expect((await store.search({ vector: toCell("").vector, k: 1000 })).length).toBe(distinct.length);
        const count = async (code: string) => (await store.provenance([sha(code)])).get(sha(code))?.count;
        for (const code of distinct.slice(-8))
          expect(await count(code)).toBe(codes.filter((each) => each === code).length);
        const words = new Map([["own", 1]]);
        expect((await store.lexical({ words, k: 1000 }))!.length).toBe(
          distinct.filter((code) => /own/.test(code)).length,
        );
        // The settle lock is free again.
        await store.settle();
      } finally {
        await store.close();
      }
    }
    expect(next).toBeGreaterThan(KILLS);
  });
});
