import { defineConfig } from "vitest/config";

/** The tests that run inside one process: the others start the built program, which is not mutated. */
export default defineConfig({
  test: {
    include: [
      "test/{recommend,store,ingest,http,mutators,evaluate/metrics,ask}/**/*.test.ts",
      "test/evaluate/metrics.test.ts",
    ],
    exclude: [
      "test/store/milvus/**",
      "test/store/*milvus*",
      "test/store/embedded-crash.test.ts",
      "test/mutators/corpus.test.ts",
    ],
    setupFiles: ["test/setup.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
