import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openEmbedder, openLabeller } from "../../../src/app/parts.js";
import type { ThreadData } from "../../../src/app/worker.js";
import { parseConfig } from "../../../src/config.js";
import { readContent } from "../../../src/ingest/read-content.js";
import { createInlineWorkers, createWorkerPool, createWorkers, type IngestTasks } from "../../../src/ingest/workers.js";
import { cellId } from "../../../src/notebook/extract.js";
import { ROOT, SAMPLES } from "../../cli/celrec.js";

async function open(embedderName: string, embeds: boolean, inline = 0) {
  const config = parseConfig({ CELREC_EMBEDDER: embedderName });
  const [labeller, embedder] = [await openLabeller(config), await openEmbedder(config)];
  const data: ThreadData = { config, embeds };
  const pool = createWorkerPool<IngestTasks>({ module: join(ROOT, "dist/src/app/worker.js"), data, size: 2 });
  onTestFinished(() => pool.close());
  const here = createInlineWorkers({ labeller, embedder });
  return { here, there: createWorkers({ pool, labeller, embedder, embeds, inline }), pool };
}

const sample = (name: string) => ({
  format: "ipynb" as const,
  bytes: new Uint8Array(readFileSync(join(SAMPLES, name))),
});
const NAME = "customer-churn-baseline.ipynb";

describe("workers", () => {
  it.each([
    ["default", true],
    ["lexical", true],
    ["default", false],
  ])("make the cells of the %s embedder as the main thread does (embedding in threads: %s)", async (name, embeds) => {
    const { here, there } = await open(name, embeds);
    const read = readContent(sample(NAME));
    const codes = "code" in read ? read.code.cells : [];
    const odd = ["", "# only", "___", `x = "${"a".repeat(60_000)}"`, "df.gro", "a\0\ud800", "%%bash\nls"];
    const cells = [...codes, ...odd.map((code) => ({ id: cellId(code), code }))];
    const [expected, made] = [await here.make(cells), await there.make(cells)];
    expect(codes.length).toBeGreaterThan(10);
    expect(new Map([...made].sort())).toEqual(new Map([...expected].sort()));
  });

  it("read what the main thread reads", async () => {
    const { there } = await open("lexical", true);
    const file = join(SAMPLES, NAME);
    expect(await there.read(sample(NAME))).toEqual(readContent(sample(NAME)));
    expect(await there.read({ format: "ipynb", file })).toEqual(readContent(sample(NAME)));
    expect(await there.read({ format: "ipynb", file: `${file}.gone` })).toMatchObject({
      rejected: { kind: "unreadable" },
    });
  });

  it("parse what the main thread parses", async () => {
    const { here, there } = await open("lexical", true);
    const { format, bytes } = sample(NAME);
    expect(await there.parse(format, bytes)).toEqual(await here.parse(format, bytes));
    expect(await there.parse("script", Buffer.from("x = 1"))).toMatchObject({ rejected: { kind: "plain-script" } });
  });

  it("do small jobs on the calling thread", async () => {
    const { there, pool } = await open("lexical", true, 100);
    await pool.close();
    expect((await there.make([{ id: "a", code: "x = 1" }])).size).toBe(1);
    await expect(there.make([{ id: "a", code: `x = "${"1".repeat(100)}"` }])).rejects.toMatchObject({
      code: "INTERRUPTED",
    });
  });
});
