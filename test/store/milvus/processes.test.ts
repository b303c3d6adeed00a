import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { Notebook } from "../../../src/store/vector-store.js";
import { ADDRESS, hasMilvus, hasMilvusLite, LITE_ADDRESS, newPlace } from "./server.js";

const WRITER = fileURLToPath(new URL("./writer-process.js", import.meta.url));
const IDENTITY = { embedder: "test@1", dimensions: 4, labeller: "test@1", labels: ["load", "plot"] };

describe.each([
  ["Milvus 2.3.5", ADDRESS, await hasMilvus(), 8],
  ["Milvus Lite", LITE_ADDRESS, await hasMilvusLite(), 20],
] as const)("two processes that share cells on %s", (_, address, isThere, rounds) => {
  it.runIf(isThere)(
    "end with every notebook that was acknowledged, whole and found",
    { timeout: 180_000 },
    async () => {
      const place = newPlace(address);
      const run = async (name: string): Promise<Notebook[]> => {
        const { stdout } = await promisify(execFile)(process.execPath, [
          WRITER,
          address,
          place.prefix,
          name,
          `${rounds}`,
        ]);
        return JSON.parse(stdout) as Notebook[];
      };
      const expected = (await Promise.all([run("one"), run("two")])).flat();
      const store = place.open(IDENTITY);
      try {
        for (const notebook of expected) expect(await store.notebook(notebook.id)).toEqual(notebook);
        const cells = [...new Set(expected.flatMap((notebook) => notebook.cells.map(({ id }) => id)))].sort();
        expect(await store.missing(cells)).toEqual(new Set());
        const found = await store.search({ vector: Float32Array.of(1, 1, 1, 1), k: 100, strong: true });
        expect(found.map(({ id }) => id).sort()).toEqual(cells);
        const summaries = await store.notebooks({ limit: 100 });
        expect(summaries.map(({ id }) => id)).toEqual(expected.map(({ id }) => id).sort());
      } finally {
        await store.close();
        await place.drop();
      }
    },
  );
});
