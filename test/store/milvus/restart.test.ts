import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { requires } from "../../require.js";
import { cell, IDENTITY, ids, notebook, put } from "../contract/fixtures.js";
import { newPlace } from "./server.js";

/** Where scripts/milvus-server.py installed Milvus; this test runs a server of its own from there. */
const FOLDER = process.env.CELREC_TEST_MILVUS_DIR ?? ".milvus";
const PORT = 29530;
const HOW = `no Milvus to kill in ${FOLDER} (CELREC_TEST_MILVUS_DIR); install one with: python3 scripts/milvus-server.py start`;

const SEARCH = { vector: Float32Array.of(1, 0, 0, 0), k: 3, strong: true };
const DOWN = {
  name: "RecommenderError",
  code: "STORE_UNAVAILABLE",
  message: expect.stringContaining(`127.0.0.1:${PORT}`),
};

describe.runIf(requires("milvus", existsSync(`${FOLDER}/venv/bin/milvus-server`), HOW))(
  "a Milvus that is killed",
  () => {
    beforeAll(async () => {
      await server("stop");
      await rm(`${FOLDER}/data-${PORT}`, { recursive: true, force: true });
      await server("start");
    }, 300_000);
    afterAll(() => server("stop"));

    it("fails calls with STORE_UNAVAILABLE, and is used again once it is back, with all that was written", async () => {
      const place = newPlace(`127.0.0.1:${PORT}`);
      const store = place.open(IDENTITY);
      const one = notebook("one.ipynb", [cell("one"), cell("two", [0, 1, 0, 0])]);
      await put(store, [one]);
      const hits = await store.search(SEARCH);
      expect(hits.length).toBe(2);

      const underWay = Array.from({ length: 4 }, () =>
        store.search(SEARCH).then(
          () => "STORE_UNAVAILABLE",
          (error) => error.code,
        ),
      );
      await server("stop");
      expect(await Promise.all(underWay)).toEqual(Array(4).fill("STORE_UNAVAILABLE"));

      const start = Date.now();
      await expect(store.search(SEARCH)).rejects.toMatchObject(DOWN);
      const two = notebook("two.ipynb", [cell("three", [0, 0, 1, 0])]);
      await expect(put(store, [two])).rejects.toMatchObject(DOWN);
      await expect(place.open(IDENTITY).open()).rejects.toMatchObject(DOWN);
      // Each connection retries for three seconds; later calls fail at once.
      expect(Date.now() - start).toBeLessThan(10_000);

      await server("start");
      await vi.waitFor(async () => expect(await store.search(SEARCH)).toEqual(hits), {
        timeout: 90_000,
        interval: 500,
      });
      expect(await store.notebook(one.notebook.id)).toEqual(one.notebook);
      await put(store, [two]);
      expect(await store.missing(ids(two.cells))).toEqual(new Set());

      await freeze();
      try {
        const frozen = Date.now();
        await expect(store.ready()).rejects.toMatchObject(DOWN);
        expect(Date.now() - frozen).toBeLessThan(2_000);
        await expect(store.search(SEARCH)).rejects.toMatchObject(DOWN);
        expect(Date.now() - frozen).toBeLessThan(8_000);
      } finally {
        process.kill(serverPid(), "SIGCONT");
      }
      await vi.waitFor(() => store.ready(), { timeout: 10_000, interval: 100 });
      await store.close();
      await place.drop();
    }, 300_000);
  },
);

const serverPid = () => Number(readFileSync(`${FOLDER}/server-${PORT}.pid`, "utf8"));

/** The signal reaches the server's threads one after another, so some of them may answer a moment longer. */
async function freeze(): Promise<void> {
  process.kill(serverPid(), "SIGSTOP");
  await vi.waitFor(
    async () => {
      const { stdout } = await promisify(execFile)("ps", ["-L", "-p", String(serverPid()), "-o", "state="]);
      expect(stdout.split("\n").filter((state) => !/^(T.*)?$/.test(state.trim()))).toEqual([]);
    },
    { timeout: 10_000, interval: 20 },
  );
}

async function server(action: "start" | "stop"): Promise<void> {
  await promisify(execFile)("python3", ["scripts/milvus-server.py", action, FOLDER, "--port", String(PORT)]);
}
