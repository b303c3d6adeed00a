import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { compose, type Services } from "../../src/app/compose.js";
import { parseConfig } from "../../src/config.js";
import { readNotebook } from "../../src/notebook/parse-notebook.js";
import { fastFolder } from "../fast-folder.js";

/** A real embedded index with these notebooks, by name, and the services over it. */
export async function fill(
  notebooks: Readonly<Record<string, readonly string[]>>,
  embedder: "lexical" | "default" = "lexical",
): Promise<Services> {
  const folder = mkdtempSync(join(fastFolder, "celrec-test-"));
  const config = parseConfig({ CELREC_DATA: folder, CELREC_EMBEDDER: embedder });
  const services = await compose(config, { activity: "a test", hold: "call" });
  onTestFinished(async () => {
    await services.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await services.ingest(
    Object.entries(notebooks).map(([name, cells]) => {
      const parsed = readNotebook({ cells: cells.map((source) => ({ cell_type: "code", source })) });
      if ("rejected" in parsed) throw new Error(parsed.rejected.reason);
      return { name, notebook: parsed.notebook };
    }),
  );
  return services;
}
