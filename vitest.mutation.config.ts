import { defineConfig } from "vitest/config";

/** Fast tests that run inside one process. The others start the built program, which is not mutated, or repeat a lot. */
export default defineConfig({
  test: {
    include: ["test/{recommend,store,ingest,http,mutators}/**/*.test.ts", "test/evaluate/{metrics,text}.test.ts"],
    exclude: [
      "test/store/milvus/**",
      "test/store/*milvus*",
      "test/store/embedded-{crash,faults,readers}.test.ts",
      "test/mutators/{corpus,meaning,properties}.test.ts",
      "test/ingest/move/pandas.test.ts",
      "test/ingest/workers/workers.test.ts",
      "test/recommend/answer/real-cells.test.ts",
      "test/http/{bad-input,concurrency,schemathesis}.test.ts",
    ],
    setupFiles: ["test/setup.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
