import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CelrecResult } from "../../../../src/evaluate/suites/celrec/celrec-result.js";
import { celrec } from "../../../cli/celrec.js";
import { requires, sharedData } from "../../../require.js";
import { ADDRESS, hasMilvus, hasMilvusLite, LITE_ADDRESS } from "../../../store/milvus/server.js";

const hasServers = (await hasMilvus()) && (await hasMilvusLite());
const hasShared = requires("shared", existsSync(sharedData), "the shared notebooks are not beside the project");
/** Maximum loss of quality. Milvus 2.3 cannot search by words. */
const WITHOUT_WORDS = 0.02;
const WITH_WORDS = 0.005;

describe.runIf(hasServers && hasShared)("recommending from Milvus", () => {
  it("has the quality of the embedded store, with real cells as distractors", { timeout: 600_000 }, async () => {
    const measure = async (address: string, ...words: string[]) => {
      const data = mkdtempSync(join(tmpdir(), "celrec-quality-"));
      const distractors = join(sharedData, "notebooks", "kgtorrent");
      const fixed = [
        "eval",
        "celrec",
        "--limit",
        "25",
        "--distractors",
        distractors,
        "--metrics",
        "precision@3",
        "--json",
      ];
      const env = { CELREC_EMBEDDER: "default", CELREC_MILVUS_ADDRESS: address };
      const { stdout, code } = await celrec([...fixed, "--data", data, ...words], { env });
      expect(code).toBe(0);
      return (JSON.parse(stdout) as CelrecResult).mps1["precision@3"]!;
    };
    const embedded = await measure(ADDRESS);
    expect(embedded).toBeGreaterThan(0.9);
    expect(await measure(ADDRESS, "--store", "milvus")).toBeGreaterThan(embedded - WITHOUT_WORDS);
    const lite = await measure(LITE_ADDRESS, "--store", "milvus");
    expect(Math.abs(lite - embedded)).toBeLessThanOrEqual(WITH_WORDS);
  });
});
