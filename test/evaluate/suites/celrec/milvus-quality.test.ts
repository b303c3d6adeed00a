import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { CelrecResult } from "../../../../src/evaluate/suites/celrec/document.js";
import { celrec, ensureBuilt } from "../../../cli/celrec.js";
import { requires, sharedData } from "../../../require.js";
import { ADDRESS, hasMilvus } from "../../../store/milvus/server.js";

const hasServer = await hasMilvus();
const hasShared = requires("shared", existsSync(sharedData), "the shared notebooks are not beside the project");
/** Milvus 2.3 cannot search by words; what that may cost at the most. */
const MOST_LOST = 0.02;

describe.runIf(hasServer && hasShared)("recommending from Milvus", () => {
  beforeAll(ensureBuilt);

  it("is as good as from the embedded store, with real cells around the mutants", { timeout: 600_000 }, async () => {
    const measure = async (...words: string[]) => {
      const data = mkdtempSync(join(tmpdir(), "celrec-quality-"));
      const distractors = join(sharedData, "notebooks", "kgtorrent");
      const fixed = [
        "eval",
        "celrec",
        "--sample",
        "25",
        "--distractors",
        distractors,
        "--metrics",
        "precision@3",
        "--json",
      ];
      const env = { CELREC_EMBEDDER: "default", CELREC_MILVUS_ADDRESS: ADDRESS };
      const { stdout, code } = await celrec([...fixed, "--data", data, ...words], { env });
      expect(code).toBe(0);
      return (JSON.parse(stdout) as CelrecResult).mps1["precision@3"]!;
    };
    const embedded = await measure();
    expect(embedded).toBeGreaterThan(0.9);
    expect(await measure("--store", "milvus")).toBeGreaterThan(embedded - MOST_LOST);
  });
});
